-- Withdraws a request for several locks: removes it from their queues, passes on locks that were granted to
-- it or reserved for it, and refuses it if it arrives late.
--
-- KEYS: lock, fence, queue, waiters (of each lock), withdrawn (cancel:<request>)
-- ARGV: owner, request, refuse-ms (how long to refuse it if it arrives late; 0: it cannot arrive late),
--       keep-ms (0: a granted lock is released now; else it stays locked that long),
--       counted (1: PUBLISH returns the number of all receivers)
-- returns: 1 a grant was taken back, 0 there was none

local count = math.floor(#KEYS / 4)
local withdrawn = KEYS[4 * count + 1]
local owner, request, refuse_for = ARGV[1], ARGV[2], ARGV[3]
local keep, counted = tonumber(ARGV[4]), ARGV[5] == '1'

-- include: fence, value, expand, recall, queue, handover, release, withdraw, locks

local locks = keys_of_locks(count)
for _, l in ipairs(locks) do remove_waiter(l, request) end
refuse_late(withdrawn, refuse_for)
local granted = 0
for _, l in ipairs(locks) do
  granted = math.max(granted, undo_grant(l, expand(l, redis.pcall('GET', l.lock)), owner, request, keep, counted))
end
return granted
