-- Takes a lock away from whoever holds it.
--
-- The fence forgets the holder, so that its own release is told that the lock was lost.
--
-- KEYS: lock, fence
-- returns: 1 there was a holder, 0 the lock was free

local lock, fence = KEYS[1], KEYS[2]

-- GET fails for a key of another type: that is no lock, and not ours to delete.
if not redis.call('GET', lock) then return 0 end
local token = read_fence(redis.call('GET', fence))
redis.call('DEL', lock)
if token > 0 then redis.call('SET', fence, write_fence(token, '-', '-'), 'KEEPTTL') end
return 1
