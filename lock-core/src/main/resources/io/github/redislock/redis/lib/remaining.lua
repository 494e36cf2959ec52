-- Reads how long a lock will live, for what has to live as long.

-- returns: ms, at least 1; 0: without end
local function time_to_live(l)
  local pttl = redis.call('PTTL', l.lock)
  -- A lock in its last millisecond has 0 left, which must not be taken for "without end".
  return pttl == -1 and 0 or math.max(pttl, 1)
end
