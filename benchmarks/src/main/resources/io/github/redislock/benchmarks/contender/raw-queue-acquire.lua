-- Acquires a lock, or joins its queue. A repeated request keeps the lock, or its place in the queue.
--
-- KEYS: lock, queue
-- ARGV: turn ("inbox/number" of the requester), ttl-ms
-- returns: -1 acquired, otherwise the rest of the holder's lease in ms

local lock, queue = KEYS[1], KEYS[2]
local turn, ttl = ARGV[1], ARGV[2]

local holder = redis.call('GET', lock)
if holder == turn then return -1 end
if not holder then
  redis.call('SET', lock, turn, 'PX', ttl)
  redis.call('LREM', queue, 0, turn)
  return -1
end
if not redis.call('LPOS', queue, turn) then redis.call('RPUSH', queue, turn) end
return redis.call('PTTL', lock)
