-- Releases those of several locks that the owner still holds: hands each over to its next waiter, or frees it.
--
-- A key of another type under the name of a lock does not prevent the release of the other locks.
--
-- KEYS: lock, fence, queue, waiters (of each lock)
-- ARGV: owner, request, keep-ms (0: release them now; else they stay locked that long), counted (1:
--       PUBLISH returns the number of all receivers)
-- returns: {1} the owner held all locks, or held them last and they were not taken away
--          {0} the owner does not hold all of them
--          followed by the messages that the caller has to publish (see lib/queue.lua)

local owner, request, keep, counted = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'

-- include: fence, value, expand, recall, queue, foreign, handover, release, locks

local all = 1
for _, l in ipairs(keys_of_locks(#KEYS / 4)) do
  local present = expand(l, redis.pcall('GET', l.lock))
  if type(present) == 'table' then
    if not string.find(present.err, 'WRONGTYPE', 1, true) then return present end
    all = 0
  elseif release(l, present, owner, request, keep, nil, counted) == 0 then
    all = 0
  end
end
return {all, unpack(unsent)}
