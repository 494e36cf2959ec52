-- Releases a lock if the owner still holds it: passes it on to the next waiter, or frees it.
--
-- KEYS: lock, fence, queue, waiters
-- ARGV: owner, request, keep-ms (0: release it now; else it stays locked that long), counted (1:
--       PUBLISH returns the number of all receivers)
-- returns: {1} the owner held the lock; or, according to the fence or the present holder, this request has released it
--              before; or it has expired, was not granted again, and the fence records it
--          {0} otherwise
--          followed by the messages that the caller has to publish (see lib/queue.lua)

local lock, fence, queue, waiters = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner, request, keep, counted = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1'

-- Handle the usual case under contention, in which a request waits, before other functions are defined.
local found = redis.call('MGET', lock, fence)
local value, asking = keep == '0' and found[1], nil
-- include: pass
if given then return {1} end

-- include: fence, hold

-- Handle the usual case without contention, in which no request waits.
local l = {lock = lock, fence = fence, queue = queue, waiters = waiters, remembered = found[2]}
if not waits then
  redis.call('DEL', l.lock)
  remember(l, read_hold(l, value), AFTER_RELEASE, '!')
  return {1}
end

-- include: entry, queue, handover, release

return {(release(l, read_hold(l, found[1]), owner, request, tonumber(keep), nil, counted)), unpack(unsent)}
