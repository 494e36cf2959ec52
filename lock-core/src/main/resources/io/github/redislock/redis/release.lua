-- Releases a lock if it is still its owner's: hands it over to who waits, or frees it.
--
-- KEYS: lock, fence, queue, waiters
-- ARGV: owner, request, keep-ms (0: let it go now; else it stays closed that long), counted (1:
--       PUBLISH tells the number of all receivers)
-- returns: 1 it was the owner's; or has been, and was taken from it by nobody
--          0 it is not the owner's

local lock, fence, queue, waiters = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner, request, keep, counted = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'

-- include: fence

-- The usual case comes before the rest is even defined: nobody waits.
local found = redis.call('MGET', lock, fence)
if keep == 0 and found[1] == owner and redis.call('EXISTS', queue) == 0 then
  redis.call('DEL', lock)
  end_fence(found[2], 0)
  return 1
end

-- include: queue, release

-- GET, unlike MGET, fails for a key of another type.
local present = found[1] or redis.call('GET', lock)
return (release(present, owner, request, keep, nil, counted))
