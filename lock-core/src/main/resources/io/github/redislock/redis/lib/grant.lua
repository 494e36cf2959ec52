-- Grants a free lock to the asker.
--
-- remembered: value of the fence key
-- from: request that has just let go of the lock, or "-"
-- returns: {1, token}

local function grant(remembered, from)
  local set
  if ttl > 0 then
    set = redis.call('SET', lock, owner, 'NX', 'PX', ttl)
  else
    set = redis.call('SET', lock, owner, 'NX')
  end
  -- MGET does not see a key of another type: it is not ours to overwrite.
  if not set then return {err = 'WRONGTYPE'} end
  local token = next_token(remembered)
  remember(token, block, request, from, owner, ttl)
  return {1, token}
end
