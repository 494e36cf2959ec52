-- Releases a lock if it is still its owner's.
--
-- Uses no command that Redis refuses when its memory is full.
--
-- KEYS: lock, fence
-- ARGV: owner, keep-ms (0: free it now; else let it stay closed that long)
-- returns: 1 it was the owner's, or has been and nobody's since
--          0 it is not the owner's

local lock, fence = KEYS[1], KEYS[2]
local owner, keep = ARGV[1], tonumber(ARGV[2])

local holder = redis.call('GET', lock)
if holder == owner then
  if keep > 0 then
    redis.call('PEXPIRE', lock, keep)
  else
    redis.call('DEL', lock)
  end
  return 1
end
if holder then return 0 end

-- Free: was it released before, by a request that was sent twice?
local _, _, last_owner = read_fence(redis.call('GET', fence))
return last_owner == owner and 1 or 0
