-- Releases a lock if the owner still holds it: passes it on to the next waiter, or frees it.
--
-- KEYS: lock, fence, queue, waiters
-- ARGV: owner, request, keep-ms (0: release it now; else it stays locked that long), counted (1:
--       PUBLISH returns the number of all receivers)
-- returns: {1} the owner held the lock; or, according to the fence, this request has released it before, or it has
--              expired and was not granted again
--          {0} otherwise
--          followed by the messages that the caller has to publish (see lib/queue.lua)

local l = {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], waiters = KEYS[4]}
local owner, request, keep, counted = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'

-- include: pass

-- Handle the usual case under contention, in which a request waits, before other functions are defined.
local found = redis.call('MGET', l.lock, l.fence)
l.remembered = found[2]
l.first = redis.pcall('ZRANGE', l.queue, '0', '0')[1]
local usual = keep == 0 and found[1] == owner
if usual and found[2] and l.first and pass_at_once(l, request, counted) then return {1} end

-- include: fence

-- Handle the usual case without contention, in which no request waits.
l.kept = kept_until(found[2])
if usual and not l.first then
  redis.call('DEL', l.lock)
  note_released(l, found[2])
  return {1}
end

-- include: value, expand, recall, queue, handover, release

return {(release(l, read_lock(l, found[1]), owner, request, keep, nil, counted)), unpack(unsent)}
