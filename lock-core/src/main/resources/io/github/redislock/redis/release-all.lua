-- Releases those of several locks that the owner still holds: passes each on to its next waiter, or frees it.
--
-- A key of another type under the name of a lock does not prevent the release of the other locks.
--
-- KEYS: lock, fence, queue, waiters (of each lock)
-- ARGV: owner, request, keep-ms (0: release them now; else they stay locked that long), counted (1:
--       PUBLISH returns the number of all receivers)
-- returns: {1} the script release would return 1 for each lock
--          {0} otherwise
--          followed by the messages that the caller has to publish (see lib/queue.lua)

local owner, request, keep, counted = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'

-- include: entry, fence, hold, queue, handover, release, locks

local all = 1
for _, l in ipairs(keys_of_locks(#KEYS / 4)) do
  local present = redis.pcall('GET', l.lock)
  if type(present) == 'table' then
    if not string.find(present.err, 'WRONGTYPE', 1, true) then return present end
    all = 0
  elseif release(l, present and read_hold(l, present), owner, request, keep, nil, counted) == 0 then
    all = 0
  end
end
return {all, unpack(unsent)}
