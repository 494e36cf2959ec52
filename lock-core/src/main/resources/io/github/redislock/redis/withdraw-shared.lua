-- Withdraws a request for a place in a lock that several share: leaves the queue, lets those in who
-- waited behind it, gives back what it was granted, and keeps it from being granted anything if it
-- arrives only later.
--
-- KEYS: lock, fence, queue, waiters, places, grants, cancel
-- ARGV: owner, request, memory-ms (how long a late request is refused; 0: it was answered, and cannot
--       be late), keep-ms (0: what it was granted is let go now; else it stays taken that long),
--       counted (1: PUBLISH tells the number of all receivers)
-- returns: 1 a grant was taken back, 0 there was none

local lock, fence, queue, waiters, places, grants, cancel = KEYS[1], KEYS[2], KEYS[3], KEYS[4],
    KEYS[5], KEYS[6], KEYS[7]
local owner, request, memory = ARGV[1], ARGV[2], ARGV[3]
local keep, counted = tonumber(ARGV[4]), ARGV[5] == '1'

-- include: fence, shared, queue, release, places, serve

leave_queue(request)
-- Before GET, which fails for a key of another type: then there is no grant to take back.
if memory ~= '0' then redis.call('SET', cancel, '1', 'PX', memory) end
local holder = redis.call('GET', lock)
if not holder then
  hand_over('-', nil, counted)
  return 0
end
if holder == owner then
  local _, last_request = recall(redis.call('GET', fence))
  return last_request == request and (release(holder, owner, request, keep, nil, counted)) or 0
end
if not is_shared(holder) then return 0 end

local count = count_places()
local granted = redis.call('HGET', grants, owner)
-- An owner token may be shared by several requests: only this one's grant goes back.
if granted and string.match(granted, ' (.*)$') == request then
  leave_place(owner, request, keep, counted)
  return 1
end
settle(count, '-', counted)
return 0
