-- Lets the asker wait for a contended lock in the usual case: its request is new in the queue, gets messages, and need
-- not keep the fence and the queue for longer. In any other case, nothing changes.
--
-- This is not a function for the same reason as lib/pass.lua. It does the same as join_queue. An existing queue was
-- prolonged when the fence was, so it outlives SILENCE_LIMIT.
--
-- uses: queue, remembered (the fence, or false), entry, asked_at (see lib/asker.lua), now (the server's microseconds,
--       or nil)
-- defines: waiting, how many requests wait; nil in any other case

local waiting
local kept = #asked_at > 1 and remembered and string.match(remembered, '^%d+ %d+ (%d+) ')
-- A late copy of a request that has released the lock must not wait.
if kept and string.find(remembered, '!' .. string.match(entry, '^%S+ '), 1, true) then kept = nil end
if kept and not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
local left = kept and kept - now / 1000
-- Compare with QUEUE_TTL and prolong_queue.
if left and left >= 4000 and left <= 5000 then
  -- If the memory is full, the request can only join in another way: see hand_over.
  if redis.pcall('ZADD', queue, 'NX', string.format('%.0f', now), entry) == 1 then
    waiting = redis.call('ZCARD', queue)
    if waiting == 1 then redis.call('PEXPIRE', queue, '4000') end
  end
end
