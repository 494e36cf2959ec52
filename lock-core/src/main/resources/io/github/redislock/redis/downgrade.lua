-- Downgrades a lock that its owner has alone to a place in it, and lets those in who wait to share it.
-- Where it is one already, its lease begins anew.
--
-- KEYS: lock, fence, queue, waiters, places, grants, cancel
-- ARGV: owner, request, ttl-ms, counted (1: PUBLISH tells the number of all receivers)
-- returns: 1 it is the owner's, 0 it is not

local lock, fence, queue, waiters, places, grants, cancel = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5],
    KEYS[6], KEYS[7]
local owner, request, ttl, counted = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'

-- include: fence, shared, queue, places, serve

local holder = redis.call('GET', lock)
if is_shared(holder) then return renew_place(owner, ttl) end
if holder ~= owner then return 0 end

forget_places()
redis.call('PEXPIRE', lock, ttl)
local remembered = redis.call('GET', fence)
local token, _, _, last_owner = recall(remembered)
if last_owner == owner then
  take_place(owner, request, token, ttl, string.match(remembered, '^%d+ (%d+)'))
else
  take_place(owner, request, next_token(remembered), ttl)
end
serve(1, nil, counted)
note_places()
-- The question by which it got the lock alone, if that comes late, must not wait as a writer.
redis.call('SET', cancel, 'downgraded', 'PX', ttl)
return 1
