-- Renews a lock, with a longer or a shorter lease, if it is still its owner's.
--
-- Uses no command that Redis refuses when its memory is full.
--
-- KEYS: lock, fence
-- ARGV: owner, ttl-ms
-- returns: 1 renewed, 0 it is not the owner's

local lock, fence = KEYS[1], KEYS[2]
local owner, ttl = ARGV[1], tonumber(ARGV[2])

-- include: fence

if redis.call('GET', lock) ~= owner then return 0 end
redis.call('PEXPIRE', lock, ttl)
prolong_fence(ttl)
return 1
