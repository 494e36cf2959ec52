-- Acquires a lock for its asker if it is free or already the asker's.
--
-- Asked twice it answers twice the same, so a request may be sent again when its answer was
-- lost. Never shortens a lease.
--
-- KEYS: lock, fence, cancel
-- ARGV: owner, request, ttl-ms (0: the lock never expires), fence-ttl-ms
-- returns: {1, token}                     granted
--          {0, holder, pttl, token or 0}  held by somebody else; pttl is -1 without expiry
--          {2}                            this request was withdrawn

local lock, fence, cancel = KEYS[1], KEYS[2], KEYS[3]
local owner, request = ARGV[1], ARGV[2]
local ttl, fence_ttl = tonumber(ARGV[3]), tonumber(ARGV[4])

local found = redis.call('MGET', lock, fence, cancel)
local holder = found[1]
if found[3] then return {2} end

local last, _, last_owner = read_fence(found[2])

if holder and holder ~= owner then
  return {0, holder, redis.call('PTTL', lock), last_owner == holder and last or 0}
end

if holder then
  local left = redis.call('PTTL', lock)
  if ttl == 0 then
    redis.call('PERSIST', lock)
  elseif left < 0 or left < ttl then
    redis.call('PEXPIRE', lock, ttl)
  end
  if last_owner == owner then
    if redis.call('PTTL', fence) < fence_ttl then redis.call('PEXPIRE', fence, fence_ttl) end
    return {1, last}
  end
elseif ttl == 0 then
  if not redis.call('SET', lock, owner, 'NX') then return {err = 'WRONGTYPE'} end
elseif not redis.call('SET', lock, owner, 'NX', 'PX', ttl) then
  -- MGET does not see a key of another type: it is not ours to overwrite.
  return {err = 'WRONGTYPE'}
end

local time = redis.call('TIME')
local token = math.max(tonumber(time[1]) * 1000000 + tonumber(time[2]), last + 1)
redis.call('SET', fence, write_fence(token, request, owner), 'PX', fence_ttl)
return {1, token}
