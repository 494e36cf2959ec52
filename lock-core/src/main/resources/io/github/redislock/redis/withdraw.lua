-- Withdraws a request for a lock: removes it from the queue, passes on a lock that was granted to it or
-- reserved for it, and refuses it if it arrives late.
--
-- KEYS: lock, fence, queue, waiters, withdrawn (cancel:<request>)
-- ARGV: entry (see lib/entry.lua), refuse-ms (how long to refuse it if it arrives late; 0: it cannot arrive late),
--       keep-ms (0: a granted lock is released now; else it stays locked that long),
--       counted (1: PUBLISH returns the number of all receivers)
-- returns: 1 a grant was taken back, 0 there was none

local l = {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], waiters = KEYS[4]}
local withdrawn = KEYS[5]
local refuse_for, keep, counted = ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'

-- include: entry, fence, hold, queue, handover, release, withdraw

local asker = read_entry(ARGV[1])
remove_waiter(l, asker.entry, asker.request)
-- Do this before GET, which fails for a key of another type. In that case, there is no grant to take back.
refuse_late(withdrawn, refuse_for, l)
return undo_grant(l, read_hold(l), asker, keep, counted)
