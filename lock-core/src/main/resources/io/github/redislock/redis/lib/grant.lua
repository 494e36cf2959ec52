-- Grants a free lock to the asker, and writes its fence (lib/fence.lua).

-- asker: its owner, request, ttl (ms; 0: it never expires) and wants
-- token: the first fencing token to reserve
-- from: request that has just released the lock, or "-"
-- returns: {1, token}
local function grant(l, asker, token, from)
  local set
  if asker.ttl > 0 then
    set = redis.call('SET', l.lock, asker.owner, 'NX', 'PX', asker.ttl)
  else
    set = redis.call('SET', l.lock, asker.owner, 'NX')
  end
  -- MGET ignores a key of another type, which must not be overwritten.
  if not set then return {err = 'WRONGTYPE'} end
  remember(l, token, asker.wants, asker.request, from, asker.owner, asker.ttl)
  return {1, token}
end
