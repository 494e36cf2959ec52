-- Acquires several locks at once, all or none: if each of them is free and the asker's turn, or
-- already the asker's; otherwise the asker joins the queues of all, or keeps its place in them.
--
-- KEYS: lock, fence, queue, waiters (of each lock), cancel, since (only with a quarantine)
-- ARGV: owner, request, ttl-ms (0: the locks never expire), block (fencing tokens to reserve),
--       asked-at (comes back with the message that it is its turn), claim-ms (0: several locks are not
--       handed over), inbox ("": does not wait; "-": waits and asks again by itself), counted (1:
--       PUBLISH tells the number of all receivers), quarantine (ms; only with its key)
-- returns: {1, token}                                     all granted, with a token above that of each
--          {0, holder, pttl, token or 0, waiters, index}  one of them, the first that is in the way, is
--                                                         held by somebody else or that one's turn; pttl
--                                                         is -1 without expiry, and below that if the
--                                                         lock is free, and kept so many ms for that one
--          {2}                                            this request was withdrawn
--          {3, index}                                     the key of one is not a lock: it has no expiry,
--                                                         and no lock of ours is remembered that never
--                                                         expires
--          {4, ms}                                        Redis has lost its data and grants nothing so
--                                                         long
--          {5, index}                                     the key of one has another type

local lock, fence, queue, waiters
local count = math.floor(#KEYS / 4)
local cancel, since = KEYS[4 * count + 1], KEYS[4 * count + 2]
local owner, request, ttl, block = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local asked_at, claim, inbox, counted = ARGV[5], ARGV[6], ARGV[7], ARGV[8] == '1'
local quarantine = ARGV[9]

-- include: fence, quarantine, grant, shared, queue, release, join, turn

-- One place in all queues: who has lost it in one of them has lost it in all.
local function join_queues()
  if inbox == '' then return end
  local joined = 0
  for index = 1, count do
    turn_to(index)
    if join_queue() then joined = joined + 1 end
  end
  if joined == 0 or joined == count then return end
  for index = 1, count do
    turn_to(index)
    redis.call('ZADD', queue, string.format('%.0f', server_micros()), request)
  end
end

local left = since and quarantine_left() or 0
if left > 0 then return {4, left} end

-- What Redis refuses to read ends it before anything is written.
local present, remembered = {}, {}
for index = 1, count do
  turn_to(index)
  local found = redis.pcall('GET', lock)
  if type(found) == 'table' then
    return string.find(found.err, 'WRONGTYPE', 1, true) and {5, index} or found
  end
  present[index], remembered[index] = found, redis.call('GET', fence)
end
if redis.call('EXISTS', cancel) == 1 then return {2} end

local blocked, holder, pttl, token
for index = count, 1, -1 do
  local found = present[index]
  if found and found ~= owner then
    turn_to(index)
    local last_token, _, _, last_owner = recall(remembered[index])
    blocked, holder, pttl, token = index, found, redis.call('PTTL', lock), token_of(found, last_token, last_owner)
    if is_foreign(holder, pttl, last_owner) then return {3, index} end
  end
end

for index = 1, count do
  if not present[index] then
    turn_to(index)
    -- Nobody overtakes who waits already.
    local chosen, remaining, next_one = hand_over('-', request, counted)
    if chosen and not blocked then blocked, holder, pttl, token = index, chosen, remaining, next_one end
  end
end

if blocked then
  join_queues()
  for index = 1, count do
    -- Granted before, and not whole any more: it must not be kept in part.
    local _, last_request = recall(remembered[index])
    if present[index] == owner and last_request == request then
      turn_to(index)
      release(owner, owner, request, 0, request, counted)
    end
  end
  turn_to(blocked)
  local answer = refuse(holder, pttl, token)
  answer[6] = blocked
  return answer
end

local again, known, fresh = true, 0, 0
for index = 1, count do
  local last_token, _, _, last_owner = recall(remembered[index])
  again = again and present[index] == owner and last_owner == owner
  known = math.max(known, last_token or 0)
  fresh = math.max(fresh, next_token(remembered[index]))
end
for index = 1, count do
  turn_to(index)
  -- Also where another request of this owner has the lock.
  if inbox ~= '' then leave_queue(request) end
  if not present[index] then
    grant(fresh, released_by(remembered[index]))
  else
    prolong_lock()
    if again then
      prolong_fence(ttl)
    else
      local _, last_request, previous, last_owner = recall(remembered[index])
      if last_owner ~= owner then last_request, previous = request, '-' end
      remember(fresh, block, last_request, previous, owner, math.max(redis.call('PTTL', lock), 0))
    end
  end
end
return {1, again and known or fresh}
