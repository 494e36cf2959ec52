-- Renews locks, each with a longer or a shorter lease, where it is still its owner's.
--
-- Uses no command that Redis refuses when its memory is full. A key of another type under the name
-- of a lock is nobody's lock, and keeps none of the others from being renewed.
--
-- KEYS: lock, fence (of each lock)
-- ARGV: owner, ttl-ms (of each lock; 0 leaves it as it is)
-- returns: {the server's clock in ms, then of each lock 1 it is the owner's, 0 it is not the owner's}

local lock, fence

-- include: fence

local answers = {math.floor(server_micros() / 1000)}
for index = 1, #KEYS, 2 do
  lock, fence = KEYS[index], KEYS[index + 1]
  local owner, ttl = ARGV[index], tonumber(ARGV[index + 1])
  local present = redis.pcall('GET', lock)
  if type(present) == 'table' and not string.find(present.err, 'WRONGTYPE', 1, true) then
    return present
  end
  local ours = present == owner
  if ours and ttl > 0 then
    redis.call('PEXPIRE', lock, ttl)
    prolong_fence(ttl)
  end
  answers[#answers + 1] = ours and 1 or 0
end
return answers
