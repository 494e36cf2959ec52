-- Grants a free lock to the asker, or more time to who has it already.

-- token: the first of those to reserve
-- from: request that has just let go of the lock, or "-"
-- returns: {1, token}
local function grant(token, from)
  local set
  if ttl > 0 then
    set = redis.call('SET', lock, owner, 'NX', 'PX', ttl)
  else
    set = redis.call('SET', lock, owner, 'NX')
  end
  -- MGET does not see a key of another type: it is not ours to overwrite.
  if not set then return {err = 'WRONGTYPE'} end
  remember(token, block, request, from, owner, ttl)
  return {1, token}
end

-- Never shortens what is left.
local function prolong_lock()
  local left = redis.call('PTTL', lock)
  if ttl == 0 then
    redis.call('PERSIST', lock)
  elseif left < 0 or left < ttl then
    redis.call('PEXPIRE', lock, ttl)
  end
end
