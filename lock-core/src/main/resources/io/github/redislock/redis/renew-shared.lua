-- Sets a new lease, longer or shorter, for each place in a shared lock that its owner still has.
--
-- Commands that Redis refuses when its memory is full come only after one that it accepts, see hand_over. A key
-- of another type under the name of a lock belongs to no owner, and does not prevent the renewal of other locks.
--
-- KEYS: lock, fence, places, grants (of each lock)
-- ARGV: owner, ttl-ms (of each lock)
-- returns: {for each lock: 1 if it was renewed, 0 if the owner has no place}

-- include: fence, hold, prolong, places

local replies = {}
for index = 1, #KEYS, 4 do
  local l = {lock = KEYS[index], fence = KEYS[index + 1], places = KEYS[index + 2], grants = KEYS[index + 3]}
  local argument = (index + 1) / 2
  local owner, ttl = ARGV[argument], tonumber(ARGV[argument + 1])
  -- MGET ignores a key of another type.
  replies[#replies + 1] = is_shared(redis.call('MGET', l.lock)[1]) and renew_place(l, owner, ttl) or 0
end
return replies
