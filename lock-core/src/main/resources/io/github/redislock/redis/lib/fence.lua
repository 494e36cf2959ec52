-- What all scripts share: the memory of a lock's last grant.
--
-- The fence key holds "<token> <block> <request> <previous> <owner>": the first of <block> fencing
-- tokens that the grant reserved, the request that was granted, the request that handed the lock over
-- to it ("-": none), and the owner token. It outlives the lock, so that a release that was sent
-- twice is answered twice the same, and that small backward steps of the server's clock do no harm.

local FENCE_MARGIN = 2000          -- ms that the fence outlives the lock
local FENCE_OF_ENDLESS = 86400000  -- ms for a lock that never expires

local function read_fence(value)
  local token, block, request, previous, owner =
      string.match(value or '', '^(%d+) (%d+) (%S*) (%S*) (.*)$')
  if not token then return {token = 0, last = 0} end
  return {
    token = tonumber(token), last = tonumber(token) + tonumber(block) - 1,
    request = request, previous = previous, owner = owner
  }
end

local function fence_ttl(ttl)
  return ttl > 0 and ttl + FENCE_MARGIN or FENCE_OF_ENDLESS
end

-- A double holds every integer up to 2^53: microseconds until the year 2255.
local function write_fence(key, token, block, request, previous, owner, ttl)
  local value = string.format('%.0f %d %s %s %s', token, block, request, previous, owner)
  redis.call('SET', key, value, 'PX', fence_ttl(ttl))
end

local function server_micros()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end
