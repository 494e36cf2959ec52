-- Inspects who holds a lock and how many wait for it.
--
-- KEYS: lock, fence, queue
-- returns: {} free, else {holder, pttl, token or 0, waiters}; pttl is -1 without expiry

local lock, fence_key, queue = KEYS[1], KEYS[2], KEYS[3]

local holder = redis.call('GET', lock)
if not holder then return {} end
local fence = read_fence(redis.call('GET', fence_key))
return {
  holder, redis.call('PTTL', lock), fence.owner == holder and fence.token or 0,
  redis.call('ZCARD', queue)
}
