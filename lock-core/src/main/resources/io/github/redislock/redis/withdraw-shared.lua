-- Withdraws a request for a place in a lock that several share: takes it out of the queue, lets in
-- those that waited behind it, gives back what it was granted, and keeps it from being granted anything if it
-- arrives only later.
--
-- KEYS: lock, fence, queue, waiters, places, grants, withdrawn (cancel:<request>)
-- ARGV: owner, request, refuse-ms (how long a late request is refused; 0: it was replied to, and cannot
--       be late), keep-ms (0: what it was granted is released now; else it stays taken that long),
--       counted (1: PUBLISH tells the number of all receivers)
-- returns: 1 a grant was taken back, 0 there was none

local l = {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], waiters = KEYS[4], places = KEYS[5],
    grants = KEYS[6]}
local withdrawn = KEYS[7]
local owner, request, refuse_for = ARGV[1], ARGV[2], ARGV[3]
local keep, counted = tonumber(ARGV[4]), ARGV[5] == '1'

-- include: fence, full, recall, prolong, shared, channel, queue, release, withdraw, places, serve, settle

remove_waiter(l, request)
-- Before GET, which fails for a key of another type: then there is no grant to take back.
refuse_late(withdrawn, refuse_for, l)
local holder = read_lock(l)
if not is_shared(holder) then return take_back(l, holder, owner, request, keep, counted) end

local count = count_places(l)
local granted = redis.call('HGET', l.grants, owner)
-- An owner token may be shared by several requests: only this one's grant goes back.
if granted and string.match(granted, ' (.*)$') == request then
  release_place(l, owner, request, keep, counted)
  return 1
end
settle(l, count, '-', counted)
return 0
