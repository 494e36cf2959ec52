-- Inspects the holder of a lock, and counts the waiters.
--
-- KEYS: lock, fence, queue, places, grants
-- ARGV: owner (which owner of a shared lock to report; "": the one whose lease ends last)
-- returns: {} free, or shared but not held by this owner; else {holder, pttl, token or 0, waiters, holders, last};
--          pttl is -1 if the lock never expires; last is the last of the reserved tokens, or 0 if unknown. Only the
--          holding instance knows which of them is in use now

local l = {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], places = KEYS[4], grants = KEYS[5]}
local owner = ARGV[1]

-- include: fence, hold

local hold = read_hold(l)
if not hold then return {} end
local waiting = redis.call('ZCARD', l.queue)
if not hold.shared then
  local last = hold.token > 0 and hold.token + hold.block - 1 or 0
  return {hold.owner, redis.call('PTTL', l.lock), hold.token, waiting, 1, last}
end
local now = math.floor(server_micros() / 1000)
local one = owner ~= '' and owner or redis.call('ZRANGE', l.places, '-1', '-1')[1]
local ends = one and redis.call('ZSCORE', l.places, one)
if not ends or ends - now <= 0 then return {} end
local token = tonumber(string.match(redis.call('HGET', l.grants, one) or '0', '^%d+'))
local holders = redis.call('ZCOUNT', l.places, '(' .. string.format('%.0f', now), '+inf')
return {one, ends - now, token, waiting, holders, token}
