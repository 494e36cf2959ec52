-- Withdraws a request for a place in a shared lock: removes it from the queue, admits the requests behind it,
-- releases its place, and refuses it if it arrives late.
--
-- KEYS: lock, fence, queue, waiters, places, grants, withdrawn (cancel:<request>)
-- ARGV: entry (see lib/entry.lua), refuse-ms (how long to refuse it if it arrives late; 0: it cannot arrive late),
--       keep-ms (0: a granted place is released now; else it stays taken that long),
--       counted (1: PUBLISH returns the number of all receivers)
-- returns: 1 a grant was taken back, 0 there was none

local l = {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], waiters = KEYS[4], places = KEYS[5], grants = KEYS[6]}
local withdrawn = KEYS[7]
local refuse_for, keep, counted = ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'

-- include: entry, fence, hold, prolong, queue, handover, release, withdraw, places, serve, settle

local asker = read_entry(ARGV[1])
local owner, request = asker.owner, asker.request
remove_waiter(l, asker.entry, request)
-- Do this before GET, which fails for a key of another type. In that case, there is no grant to take back.
refuse_late(withdrawn, refuse_for, l)
local hold = read_hold(l)
if not hold or not hold.shared then return undo_grant(l, hold, asker, keep, counted) end

local count = count_places(l)
local granted = redis.call('HGET', l.grants, owner)
-- Several requests may share an owner token: only this one's grant is taken back.
if granted and string.match(granted, ' (.*)$') == request then
  release_place(l, owner, request, keep, counted)
  return 1
end
settle(l, count, '-', counted)
return 0
