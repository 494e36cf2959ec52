-- Downgrades an exclusive lock to a place in a shared lock, and admits the next requests that want to share it. If
-- the owner already has a place, only renews its lease.
--
-- KEYS: lock, fence, queue, waiters, places, grants, withdrawn (cancel:<request>)
-- ARGV: owner, request, ttl-ms, counted (1: PUBLISH returns the number of all receivers)
-- returns: 1 the owner holds the lock, 0 it does not

local l = {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], waiters = KEYS[4], places = KEYS[5], grants = KEYS[6]}
local withdrawn = KEYS[7]
local owner, request, ttl, counted = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'

-- include: fence, value, expand, recall, prolong, queue, places, serve

local holder = read_lock(l)
if is_shared(holder) then return renew_place(l, owner, ttl) end
if holder ~= owner then return 0 end

forget_places(l)
redis.call('PEXPIRE', l.lock, ttl)
local token, _, _, last_owner = recall(read_fence(l))
if last_owner == owner then
  write_place(l, owner, request, token, ttl, string.match(l.remembered, '^%d+ (%d+)'))
else
  write_place(l, owner, request, next_token(l.remembered), ttl)
end
serve(l, 1, nil, counted)
note_places(l)
-- A late copy of the request for the exclusive lock must not join the queue as a writer.
redis.call('SET', withdrawn, 'downgraded', 'PX', ttl)
keep_fence(l, ttl, ttl)
return 1
