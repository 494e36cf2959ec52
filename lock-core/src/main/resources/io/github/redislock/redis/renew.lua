-- Sets a new lease, longer or shorter, for each lock that its owner still holds.
--
-- Uses no command that Redis refuses when its memory is full. A key of another type under the name of a
-- lock belongs to no owner, and does not prevent the renewal of the other locks.
--
-- KEYS: lock, fence (of each lock)
-- ARGV: owner, ttl-ms (of each lock; 0 leaves it as it is)
-- returns: {for each lock: 1 if the owner holds it, else 0}

-- include: fence, hold, prolong

local replies = {}
-- Reuse one table, because creating one for each lock takes time.
local l = {}
for index = 1, #KEYS, 2 do
  l.lock, l.fence = KEYS[index], KEYS[index + 1]
  l.kept, l.remembered = nil, nil
  local owner, ttl = ARGV[index], tonumber(ARGV[index + 1])
  -- MGET ignores a key of another type.
  local present = redis.call('MGET', l.lock)[1]
  local ours = is_owners(present, owner)
  if ours and ttl > 0 then
    redis.call('PEXPIRE', l.lock, ttl)
    if present == owner then prolong_fence(l, ttl) end
  end
  replies[#replies + 1] = ours and 1 or 0
end
return replies
