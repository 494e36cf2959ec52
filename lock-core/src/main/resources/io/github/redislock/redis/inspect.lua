-- Inspects who holds a lock.
--
-- KEYS: lock, fence
-- returns: {} free, else {holder, pttl, token or 0}; pttl is -1 without expiry

local lock, fence = KEYS[1], KEYS[2]

local holder = redis.call('GET', lock)
if not holder then return {} end
local token, _, last_owner = read_fence(redis.call('GET', fence))
return {holder, redis.call('PTTL', lock), last_owner == holder and token or 0}
