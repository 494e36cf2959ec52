-- Withdraws a request for several locks: leaves their queues, passes on what it was granted and what
-- was kept free for it, and keeps it from being granted anything if it arrives only later.
--
-- KEYS: lock, fence, queue, waiters (of each lock), cancel
-- ARGV: owner, request, memory-ms (how long a late request is refused; 0: it was answered, and cannot
--       be late), keep-ms (0: what it was granted is let go now; else it stays closed that long),
--       counted (1: PUBLISH tells the number of all receivers)
-- returns: 1 a grant was taken back, 0 there was none

local lock, fence, queue, waiters
local count = math.floor(#KEYS / 4)
local cancel = KEYS[4 * count + 1]
local owner, request, memory = ARGV[1], ARGV[2], ARGV[3]
local keep, counted = tonumber(ARGV[4]), ARGV[5] == '1'

-- include: fence, shared, queue, release, turn

for index = 1, count do
  turn_to(index)
  leave_queue(request)
end
if memory ~= '0' then redis.call('SET', cancel, '1', 'PX', memory) end
local granted = 0
for index = 1, count do
  turn_to(index)
  local present = redis.pcall('GET', lock)
  if not present then
    hand_over('-', nil, counted)
  elseif present == owner then
    -- An owner token may be shared by several requests: only this one's grant goes back.
    local _, last_request = recall(redis.call('GET', fence))
    if last_request == request then granted = release(present, owner, request, keep, nil, counted) end
  elseif type(present) == 'string' and is_shared(present) then
    tell_next()
  end
end
return granted
