-- Downgrades a lock that its owner has alone to a place in it, and lets in requests that wait to share it.
-- If it is one already, its lease begins again.
--
-- KEYS: lock, fence, queue, waiters, places, grants, withdrawn (cancel:<request>)
-- ARGV: owner, request, ttl-ms, counted (1: PUBLISH tells the number of all receivers)
-- returns: 1 it is the owner's, 0 it is not

local l = {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], waiters = KEYS[4], places = KEYS[5],
    grants = KEYS[6]}
local withdrawn = KEYS[7]
local owner, request, ttl, counted = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'

-- include: fence, full, recall, prolong, shared, channel, queue, places, serve

local holder = read_lock(l)
if is_shared(holder) then return renew_place(l, owner, ttl) end
if holder ~= owner then return 0 end

forget_places(l)
redis.call('PEXPIRE', l.lock, ttl)
local remembered = redis.call('GET', l.fence)
local token, _, _, last_owner = recall(remembered)
if last_owner == owner then
  take_place(l, owner, request, token, ttl, string.match(remembered, '^%d+ (%d+)'))
else
  take_place(l, owner, request, next_token(remembered), ttl)
end
serve(l, 1, nil, counted)
note_places(l)
-- The question by which it got the lock alone, if that comes late, must not wait as a writer.
redis.call('SET', withdrawn, 'downgraded', 'PX', ttl)
keep_fence(l, ttl, ttl)
return 1
