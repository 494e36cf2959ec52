-- Releases a lock if it is still its owner's: hands it over to who waits, or frees it.
--
-- KEYS: lock, fence, queue, waiters
-- ARGV: owner, request, keep-ms (0: let it go now; else it stays closed that long), counted (1:
--       PUBLISH tells the number of all receivers), expires (0: the lock was asked for without expiry)
-- returns: 1 it was the owner's; or has been, and was taken from it by nobody
--          0 it is not the owner's

local lock, fence, queue, waiters = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner, request, keep, counted = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'
local expires = ARGV[5] == '1'

-- The usual case comes before the rest is even defined: nobody waits.
local present = redis.call('GET', lock)
if expires and keep == 0 and present == owner and redis.call('EXISTS', queue) == 0 then
  redis.call('DEL', lock)
  return 1
end

-- include: fence, queue, release

return (release(present, owner, request, keep, nil, counted))
