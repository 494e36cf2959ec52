-- Who shares a lock: readers, or holders of permits, each in a place of its own.
--
-- The lock key is then "shared<tab><holders><tab><owner>": how many they are, and the owner token of the one
-- whose lease ends last, with which the key ends, too. The places are a sorted set of owner tokens by
-- the server's ms at which their leases end; the grants are a hash from owner token to
-- "<fencing token> <request>", or "<fencing token>+<block> <request>" of who had the lock alone before,
-- and has one of the tokens that were reserved then. Both count only beside such a lock key.

local changed = false

local function place_end(ms)
  return string.format('%.0f', math.floor(server_micros() / 1000) + ms)
end

-- Forgets places that no lock key vouches for, if there are any: a write too many would let the next
-- one pass although the memory is full.
--
-- returns: how many share the lock
local function forget_places()
  if redis.call('EXISTS', places, grants) > 0 then redis.call('DEL', places, grants) end
  return 0
end

-- Forgets those whose lease is over.
--
-- returns: how many share the lock
local function count_places()
  for _, owner in ipairs(redis.call('ZRANGE', places, '-inf', place_end(0), 'BYSCORE')) do
    redis.call('ZREM', places, owner)
    redis.call('HDEL', grants, owner)
    changed = true
  end
  return redis.call('ZCARD', places)
end

-- returns: the owner whose lease ends first, and in how many ms
local function first_to_end()
  local first = redis.call('ZRANGE', places, '0', '0', 'WITHSCORES')
  return first[1], first[2] - place_end(0)
end

-- Lets the lock key say who shares the lock, and all live as long as the longest lease. PEXPIRE first,
-- so that a place can be renewed or left although the memory is full.
local function note_places()
  local last = redis.call('ZRANGE', places, '-1', '-1', 'WITHSCORES')
  local left = last[2] - place_end(0)
  redis.call('PEXPIRE', places, left)
  redis.call('PEXPIRE', grants, left)
  redis.call('SET', lock, string.format('shared\t%d\t%s', redis.call('ZCARD', places), last[1]), 'PX', left)
  prolong_fence(left)
end

-- block: how many tokens were reserved with this one; nil for no other
local function take_place(owner, request, token, ttl, block)
  redis.call('ZADD', places, place_end(ttl), owner)
  redis.call('HSET', grants, owner, string.format('%.0f%s %s', token, block and '+' .. block or '', request))
  changed = true
end

-- Gives a place to an owner who has none.
--
-- returns: its fencing token
local function grant_place(owner, request, ttl)
  local remembered = redis.call('GET', fence)
  local token = next_token(remembered)
  local _, _, previous = recall(remembered)
  take_place(owner, request, token, ttl)
  remember(token, 1, request, previous or '-', owner, ttl)
  return token
end

-- Sets how long an owner keeps its place.
--
-- returns: 1, or 0 if it has none
local function renew_place(owner, ttl)
  count_places()
  if not redis.call('ZSCORE', places, owner) then return 0 end
  redis.call('PEXPIRE', places, ttl)
  redis.call('ZADD', places, place_end(ttl), owner)
  note_places()
  return 1
end
