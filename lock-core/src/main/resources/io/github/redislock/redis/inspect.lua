-- Inspects who holds a lock and how many wait for it.
--
-- KEYS: lock, fence, queue
-- returns: {} free, else {holder, pttl, token or 0, waiters}; pttl is -1 without expiry

local lock, fence, queue = KEYS[1], KEYS[2], KEYS[3]

-- include: fence

local holder = redis.call('GET', lock)
if not holder then return {} end
local token, _, _, last_owner = recall(redis.call('GET', fence))
return {
  holder, redis.call('PTTL', lock), last_owner == holder and token or 0, redis.call('ZCARD', queue)
}
