-- Adds the fence to a lock that the script take granted, so that the other scripts can use it like any other lock.

-- returns: ms until a lock expires, at least 1; 0: it never expires
local function time_to_live(l)
  local pttl = redis.call('PTTL', l.lock)
  -- A lock in its last millisecond has 0 left, which must not mean that it never expires.
  return pttl == -1 and 0 or math.max(pttl, 1)
end

-- The request id is the end of the owner token. PEXPIRE or PERSIST comes first, so that Redis accepts the other writes
-- even if its memory is full: see hand_over.
--
-- value: of the lock key; false if the lock is free, a table if the key has another type
-- returns: the owner token if the script take granted the lock, otherwise the value
local function expand(l, value)
  if type(value) ~= 'string' then return value end
  local owner, block, token = read_taken(value)
  if not owner then return value end
  local ttl = time_to_live(l)
  -- A key that has lost its expiry still belongs to its owner, and PEXPIRE with 0 would delete it.
  if ttl > 0 then redis.call('PEXPIRE', l.lock, ttl) else redis.call('PERSIST', l.lock) end
  redis.call('SET', l.lock, owner, 'KEEPTTL')
  remember(l, token, block, string.match(owner, '[^/]*$'), '-', owner, ttl)
  return owner
end

-- GET, unlike MGET, fails for a key of another type.
--
-- found: the value of the lock key if MGET has read it; nil or false to read it now
local function read_lock(l, found)
  return expand(l, found or redis.call('GET', l.lock))
end
