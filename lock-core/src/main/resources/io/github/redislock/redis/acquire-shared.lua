-- Acquires a place in a shared lock if the asker already has one, or if no owner holds the lock exclusively, the
-- waiters before the asker have got places, and there is room. An asker that waits and is refused joins the queue, or
-- stays where it is in the queue.
--
-- KEYS: lock, fence, queue, waiters, places, grants, withdrawn (cancel:<request>), since (only with a quarantine)
-- ARGV: the asker's arguments (see lib/asker.lua; wants is "*<n>")
-- returns: {1, token}                              granted
--          {0, holder, pttl, token or 0, waiters}  held by others; if shared, holder is like the lock key,
--                                                  but names the owner whose lease ends first; pttl is -1
--                                                  if the lock never expires, and less than -1 if it is
--                                                  free but reserved for that owner for -pttl ms
--          {2}                                     this request was withdrawn, or has released its place already
--          {3}                                     the key is not a lock: another program has written it, without
--                                                  an expiry
--          {4, ms}                                 Redis grants no lock for this time: see lib/quarantine.lua

local l = {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], waiters = KEYS[4], places = KEYS[5], grants = KEYS[6]}
local withdrawn, since = KEYS[7], KEYS[8]

-- include: entry, asker, fence, quarantine, hold, prolong, queue, join, handover, places, serve

local asker, counted, quarantine = read_asker(1)
local owner, request, ttl = asker.owner, asker.request, asker.ttl
local left = since and quarantine_left(since, quarantine) or 0
if left > 0 then return {4, left} end
local hold = read_hold(l)
if redis.call('EXISTS', withdrawn) == 1 then return {2} end

if hold and not hold.shared then
  if not with_rest(l, hold) then return {3} end
  join_queue(l, asker, hold)
  return refuse(l, hold)
end

local count = hold and count_places(l) or forget_places(l)
local granted = redis.call('HGET', l.grants, owner)
local granted_until = granted and redis.call('ZSCORE', l.places, owner)
if granted_until then
  -- Leave the queue, because the place may have been granted to another request of this owner.
  remove_waiter(l, asker.entry, request)
  renew_place(l, owner, math.max(granted_until - place_end(0), ttl))
  return {1, tonumber(string.match(granted, '^%d+'))}
end

join_queue(l, asker)
local turn
count, turn = serve(l, count, asker.entry, counted)
if count == 0 and not turn then
  -- A waiter before the asker wants the lock exclusively.
  local next_holder = hand_over(l, nil, '-', asker.entry, counted)
  if next_holder then return refuse(l, next_holder) end
  turn = true
end
if turn and count < room_of(asker.wants) then
  local token = grant_place(l, owner, request, ttl)
  remove_waiter(l, asker.entry, request)
  serve(l, count + 1, nil, counted)
  note_places(l)
  return {1, token}
end
if l.changed then note_places(l) end
local first, first_end = first_to_end(l)
return refuse(l, {owner = shared_value(count, first), pttl = first_end, token = read_record(l).token})
