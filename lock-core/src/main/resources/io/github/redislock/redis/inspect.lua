-- Inspects who holds a lock and how many wait for it.
--
-- KEYS: lock, fence, queue, places, grants
-- ARGV: owner ("": of several that share the lock, tell of the one whose lease ends last; else of this
--       one)
-- returns: {} free, or not this owner's; else {holder, pttl, token or 0, waiters, holders}; pttl is -1
--          without expiry

local lock, fence, queue, places, grants = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local owner = ARGV[1]

-- include: fence, shared

local holder = redis.call('GET', lock)
if not holder then return {} end
local waiting = redis.call('ZCARD', queue)
if not is_shared(holder) then
  local token, _, _, last_owner = recall(redis.call('GET', fence))
  return {holder, redis.call('PTTL', lock), token_of(holder, token, last_owner), waiting, 1}
end
local now = math.floor(server_micros() / 1000)
local one = owner ~= '' and owner or redis.call('ZRANGE', places, '-1', '-1')[1]
local ends = one and redis.call('ZSCORE', places, one)
if not ends or ends - now <= 0 then return {} end
local token = string.match(redis.call('HGET', grants, one) or '', '^%d+')
local holders = redis.call('ZCOUNT', places, '(' .. string.format('%.0f', now), '+inf')
return {one, ends - now, tonumber(token) or 0, waiting, holders}
