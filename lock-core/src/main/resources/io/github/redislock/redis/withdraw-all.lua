-- Withdraws a request for several locks: takes it out of their queues, passes on what it was granted
-- and what was kept free for it, and keeps it from being granted anything if it arrives only later.
--
-- KEYS: lock, fence, queue, waiters (of each lock), withdrawn (cancel:<request>)
-- ARGV: owner, request, refuse-ms (how long a late request is refused; 0: it was replied to, and cannot
--       be late), keep-ms (0: what it was granted is released now; else it stays closed that long),
--       counted (1: PUBLISH tells the number of all receivers)
-- returns: 1 a grant was taken back, 0 there was none

local count = math.floor(#KEYS / 4)
local withdrawn = KEYS[4 * count + 1]
local owner, request, refuse_for = ARGV[1], ARGV[2], ARGV[3]
local keep, counted = tonumber(ARGV[4]), ARGV[5] == '1'

-- include: fence, full, recall, shared, channel, queue, release, withdraw, locks

local locks = keys_of_locks(count)
for _, l in ipairs(locks) do remove_waiter(l, request) end
refuse_late(withdrawn, refuse_for)
local granted = 0
for _, l in ipairs(locks) do
  granted = math.max(granted, take_back(l, full(l, redis.pcall('GET', l.lock)), owner, request, keep, counted))
end
return granted
