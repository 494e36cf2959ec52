-- Takes a lock away from whoever holds it, also from all that share it, and gives it to who waits.
--
-- The fence forgets the holder, so that its own release is told that the lock was lost.
--
-- KEYS: lock, fence, queue, waiters, places, grants
-- ARGV: counted (1: PUBLISH tells the number of all receivers)
-- returns: 1 there was a holder, 0 the lock was free, 2 the key is not a lock and was left as it is

local lock, fence, queue, waiters, places, grants = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local counted = ARGV[1] == '1'

-- include: fence, queue

-- GET fails for a key of another type: that is no lock, and not ours to delete.
local holder = redis.call('GET', lock)
if not holder then return 0 end
local remembered = redis.call('GET', fence)
local _, _, _, last_owner = recall(remembered)
if is_foreign(holder, redis.call('PTTL', lock), last_owner) then return 2 end
local _, _, _, given = hand_over('-', nil, counted)
redis.call('DEL', places, grants)
if given then return 1 end
redis.call('DEL', lock)
if remembered then
  local forgotten = string.gsub(remembered, '^(%d+ %d+) .*$', '%1 - - -')
  redis.call('SET', fence, forgotten, 'KEEPTTL')
  end_fence()
end
return 1
