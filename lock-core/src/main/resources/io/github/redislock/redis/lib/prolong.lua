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
  if ttl == 0 then
    redis.call('PERSIST', l.fence)
  elseif redis.call('PTTL', l.fence) < ttl + FENCE_MARGIN then
    -- It may also have never expired, or have lost its expiry.
    end_fence(l, ttl)
  end
end
