-- Withdraws a request for a lock: leaves the queue, passes on what it was granted, and keeps it
-- from being granted anything if it arrives only later.
--
-- KEYS: lock, fence, queue, waiters, cancel
-- ARGV: owner, request, memory-ms (how long a late request is refused), counted (1: PUBLISH tells
--       the number of all receivers)
-- returns: 1 a grant was taken back, 0 there was none

local keys = {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], waiters = KEYS[4], cancel = KEYS[5]}
local owner, request = ARGV[1], ARGV[2]

leave_queue(keys, request)
local granted = 0
if redis.call('GET', keys.lock) == owner then
  -- An owner token may be shared by several requests: only this one's grant goes back.
  if read_fence(redis.call('GET', keys.fence)).request == request then
    granted = release(keys, {owner = owner, request = request}, 0, nil, ARGV[4] == '1')
  end
end
redis.call('SET', keys.cancel, '1', 'PX', ARGV[3])
return granted
