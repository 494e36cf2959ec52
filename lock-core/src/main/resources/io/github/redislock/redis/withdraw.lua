-- Withdraws a request for a lock whose answer did not arrive: takes back what it was granted
-- and keeps it from being granted anything if it arrives only later.
--
-- Frees first, since remembering may fail when the memory is full.
--
-- KEYS: lock, fence, cancel
-- ARGV: owner, request, memory-ms (how long a late request is refused)
-- returns: 1 a grant was taken back, 0 there was none

local lock, fence, cancel = KEYS[1], KEYS[2], KEYS[3]
local owner, request, memory = ARGV[1], ARGV[2], ARGV[3]

local granted = 0
if redis.call('GET', lock) == owner then
  -- An owner token may be shared by several requests: only this one's grant goes back.
  local _, last_request = read_fence(redis.call('GET', fence))
  if last_request == request then granted = redis.call('DEL', lock) end
end
redis.call('SET', cancel, '1', 'PX', memory)
return granted
