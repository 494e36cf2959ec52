-- Withdraws a request for locks: removes it from their queues, passes on those that were granted to it or reserved for
-- it, and refuses it if it arrives late.
--
-- A key of another type under the name of a lock was not granted to the request, and stays as it is.
--
-- KEYS: lock, fence, queue, waiters (of each lock), withdrawn (cancel:<request>)
-- ARGV: entry (see lib/entry.lua), refuse-ms (how long to refuse it if it arrives late; 0: it cannot arrive late),
--       keep-ms (0: a granted lock is released now; else it stays locked that long),
--       counted (1: PUBLISH returns the number of all receivers)
-- returns: 1 a grant was taken back, 0 there was none

local count = math.floor(#KEYS / 4)
local withdrawn = KEYS[4 * count + 1]
local refuse_for, keep, counted = ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'

-- include: entry, fence, hold, queue, handover, release, withdraw, locks

local asker, locks = read_entry(ARGV[1]), keys_of_locks(count)
for _, l in ipairs(locks) do remove_waiter(l, asker.entry, asker.request) end
refuse_late(withdrawn, refuse_for, count == 1 and locks[1])
local granted = 0
for _, l in ipairs(locks) do
  local hold = hold_of(l)
  if hold ~= nil then granted = math.max(granted, undo_grant(l, hold, asker, keep, counted)) end
end
return granted
