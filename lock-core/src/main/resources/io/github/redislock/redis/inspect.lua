-- Inspects the holder of a lock, and counts the waiters.
--
-- KEYS: lock, fence, queue, places, grants
-- ARGV: owner (which owner of a shared lock to report; "": the one whose lease ends last)
-- returns: {} free, or shared but not held by this owner; else {holder, pttl, token or 0, waiters, holders, last};
--          pttl is -1 if the lock never expires; last is the last of the reserved tokens, or 0 if unknown. Only the
--          holding instance knows which of them is in use now

local l = {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], places = KEYS[4], grants = KEYS[5]}
local owner = ARGV[1]

-- include: fence, value, recall

local holder = redis.call('GET', l.lock)
if not holder then return {} end
local taken_by, taken_block, taken_token = read_taken(holder)
if taken_by then
  return {taken_by, redis.call('PTTL', l.lock), taken_token, 0, 1, taken_token + taken_block - 1}
end
local waiting = redis.call('ZCARD', l.queue)
if not is_shared(holder) then
  local remembered = redis.call('GET', l.fence)
  local last_token, _, _, last_owner = recall(remembered)
  local token = last_owner == holder and last_token or 0
  local last = token > 0 and token + string.match(remembered, '^%d+ (%d+)') - 1 or 0
  return {holder, redis.call('PTTL', l.lock), token, waiting, 1, last}
end
local now = math.floor(server_micros() / 1000)
local one = owner ~= '' and owner or redis.call('ZRANGE', l.places, '-1', '-1')[1]
local ends = one and redis.call('ZSCORE', l.places, one)
if not ends or ends - now <= 0 then return {} end
local token = tonumber(string.match(redis.call('HGET', l.grants, one) or '0', '^%d+'))
local holders = redis.call('ZCOUNT', l.places, '(' .. string.format('%.0f', now), '+inf')
return {one, ends - now, token, waiting, holders, token}
