-- Releases a lock and hands it over to the first waiter whose inbox has a subscriber.
--
-- KEYS: lock, queue
-- ARGV: turn, next turn (joins the queue at once; "" if none), ttl-ms
-- returns: 0 the lock is free, 1 no other turn waits, so the next turn has the lock, 2 handed over,
--          -1 the turn did not hold the lock

local lock, queue = KEYS[1], KEYS[2]
local turn, again, ttl = ARGV[1], ARGV[2], ARGV[3]

if redis.call('GET', lock) ~= turn then return -1 end
if again ~= '' then redis.call('RPUSH', queue, again) end
while true do
  local next = redis.call('LPOP', queue)
  if not next then
    redis.call('DEL', lock)
    return 0
  end
  redis.call('SET', lock, next, 'PX', ttl)
  if next == again then return 1 end
  if redis.call('PUBLISH', string.match(next, '^[^/]+'), next) > 0 then return 2 end
end
