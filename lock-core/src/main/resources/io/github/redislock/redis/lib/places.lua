-- The owners that share a lock, such as readers or holders of permits. Each owner has one place.
--
-- The lock key then has the number of owners, and the owner token of the one whose lease ends last: see lib/hold.lua.
-- The key expires with that lease. The places are a sorted set of owner tokens, scored by the end of their leases in
-- server's ms. The grants are a hash from owner token to "<fencing token> <request>". Places and grants are valid only
-- together with such a lock key.
--
-- l.changed: whether the lock key has to be updated to the current places

local function place_end(ms)
  return string.format('%.0f', math.floor(server_micros() / 1000) + ms)
end

-- Removes places left from an earlier shared lock. Writes only if there are any, because after a write, Redis accepts
-- all later writes of the script, even if its memory is full.
--
-- returns: 0, because no owner shares the lock
local function forget_places(l)
  if redis.call('EXISTS', l.places, l.grants) > 0 then redis.call('DEL', l.places, l.grants) end
  return 0
end

local function remove_place(l, owner)
  redis.call('ZREM', l.places, owner)
  redis.call('HDEL', l.grants, owner)
  l.changed = true
end

-- Removes places whose lease is over.
--
-- returns: how many share the lock
local function count_places(l)
  for _, owner in ipairs(redis.call('ZRANGE', l.places, '-inf', place_end(0), 'BYSCORE')) do
    remove_place(l, owner)
  end
  return redis.call('ZCARD', l.places)
end

-- returns: the owner whose lease ends first, and the ms until it ends
local function first_to_end(l)
  local first = redis.call('ZRANGE', l.places, '0', '0', 'WITHSCORES')
  return first[1], first[2] - place_end(0)
end

-- Writes the number of places to the lock key, and lets the lock, its places and its grants expire with the longest
-- lease. PEXPIRE comes first, so that a place can be renewed or released even if the memory is full.
local function note_places(l)
  local last = redis.call('ZRANGE', l.places, '-1', '-1', 'WITHSCORES')
  local left = last[2] - place_end(0)
  redis.call('PEXPIRE', l.places, left)
  redis.call('PEXPIRE', l.grants, left)
  redis.call('SET', l.lock, shared_value(redis.call('ZCARD', l.places), last[1]), 'PX', left)
  prolong_fence(l, left)
end

-- returns: the fencing token of the place
local function grant_place(l, owner, request, ttl)
  local token = next_token(l)
  local record = read_record(l)
  local previous = record.released and record.request or record.previous or '-'
  redis.call('ZADD', l.places, place_end(ttl), owner)
  redis.call('HSET', l.grants, owner, string.format('%.0f %s', token, request))
  l.changed = true
  remember(l, {token = token, block = 1, request = request, previous = previous, owner = owner}, ttl)
  return token
end

-- returns: 1, or 0 if the owner has no place
local function renew_place(l, owner, ttl)
  count_places(l)
  if not redis.call('ZSCORE', l.places, owner) then return 0 end
  redis.call('PEXPIRE', l.places, ttl)
  redis.call('ZADD', l.places, place_end(ttl), owner)
  note_places(l)
  return 1
end
