-- Prolongs the time to live of a lock and its fence. Never shortens it, but sets one if there is none.

-- ttl: ms from now on; 0: it never expires
local function prolong_lock(l, ttl)
  local left = redis.call('PTTL', l.lock)
  if ttl == 0 then
    redis.call('PERSIST', l.lock)
  elseif left < 0 or left < ttl then
    redis.call('PEXPIRE', l.lock, ttl)
  end
end

local function prolong_fence(l, ttl)
  local left = redis.call('PTTL', l.fence)
  if ttl == 0 then
    redis.call('PERSIST', l.fence)
  elseif left == -1 then
    -- It has never expired, or has lost its expiry.
    end_fence(l, redis.call('MGET', l.fence)[1], ttl)
  elseif left < ttl + FENCE_MARGIN then
    redis.call('PEXPIRE', l.fence, ttl + FENCE_MARGIN)
  end
end
