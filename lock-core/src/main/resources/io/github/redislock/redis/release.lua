-- Releases those locks that the owner still holds: passes each on to its next waiter, or frees it.
--
-- A key of another type under the name of a lock does not prevent the release of the other locks.
--
-- KEYS: lock, fence, queue, waiters (of each lock)
-- ARGV: owner, request, keep-ms (0: release them now; else they stay locked that long), counted (1:
--       PUBLISH returns the number of all receivers)
-- returns: {1} for each lock: the owner held it; or, according to the fence or the present holder, this request has
--              released it before; or it has expired, was not granted again, and the fence records it
--          {0} otherwise
--          followed by the messages that the caller has to publish (see lib/queue.lua)

local lock, fence, queue = KEYS[1], KEYS[2], KEYS[3]
local owner, request, keep, counted = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1'

-- Handle the usual case of one contended lock, for which a request waits, before other functions are defined.
local found = redis.call('MGET', lock, fence)
local value, asking = #KEYS == 4 and keep == '0' and found[1], nil
-- include: pass
if given then return {1} end

-- include: fence, hold

-- Handle the usual case of one uncontended lock, for which no request waits.
if not waits then
  local l = {lock = lock, fence = fence, remembered = found[2]}
  redis.call('DEL', l.lock)
  remember(l, read_hold(l, value), AFTER_RELEASE, '!')
  return {1}
end

-- include: entry, queue, handover, release, locks

local all, locks = 1, keys_of_locks(#KEYS / 4)
locks[1].value, locks[1].remembered = found[1], found[2]
for _, l in ipairs(locks) do
  local hold = hold_of(l)
  if hold == nil or release(l, hold, owner, request, tonumber(keep), nil, counted) == 0 then all = 0 end
end
return {all, unpack(unsent)}
