-- Takes a lock away from whoever holds it and gives it to who waits.
--
-- The fence forgets the holder, so that its own release is told that the lock was lost.
--
-- KEYS: lock, fence, queue, waiters
-- ARGV: counted (1: PUBLISH tells the number of all receivers)
-- returns: 1 there was a holder, 0 the lock was free

local keys = {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], waiters = KEYS[4]}

-- GET fails for a key of another type: that is no lock, and not ours to delete.
if not redis.call('GET', keys.lock) then return 0 end
if hand_over(keys, '-', nil, ARGV[1] == '1') then return 1 end
redis.call('DEL', keys.lock)
local fence = read_fence(redis.call('GET', keys.fence))
if fence.token > 0 then
  local left = math.max(redis.call('PTTL', keys.fence) - FENCE_MARGIN, 1)
  write_fence(keys.fence, fence.last, 1, '-', '-', '-', left)
end
return 1
