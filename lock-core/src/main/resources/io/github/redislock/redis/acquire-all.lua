-- Acquires several locks at once, all or none: each must be free and no request before the asker in its queue, or
-- the asker must already hold it. If another owner is in the way, an asker that waits joins all queues, or keeps its
-- place in them.
--
-- KEYS: lock, fence, queue, waiters (of each lock), withdrawn (cancel:<request>), since (only with a quarantine)
-- ARGV: the asker's arguments (see lib/asker.lua; claim-ms is 0, because several locks are not handed over)
-- returns: {1, token}                                     all granted
--          {0, holder, pttl, token or 0, waiters, index}  the first lock that another owner holds; if there is none,
--                                                         the first that is now handed over to another owner or
--                                                         reserved for one; pttl is -1 if the lock never expires,
--                                                         and less than -1 if it is reserved for -pttl ms
--          {2}                                            this request was withdrawn
--          {3, index}                                     the key of this lock is not a lock: another program has
--                                                         written it, without an expiry
--          {4, ms}                                        Redis grants no lock for this time: see lib/quarantine.lua
--          {5, index}                                     the key of this lock has another type

local count = math.floor(#KEYS / 4)
local withdrawn, since = KEYS[4 * count + 1], KEYS[4 * count + 2]

-- include: entry, asker, fence, quarantine, hold, prolong
-- include: queue, join, handover, release, locks

local asker, counted, quarantine = read_asker(1)
local owner, request = asker.owner, asker.request
local locks = keys_of_locks(count)

-- Queues the request with the same time everywhere: if it has lost its place in one queue, it loses it in all.
local function join_queues(holds)
  if asker.asked_at == '' then return end
  local joined = 0
  for index, l in ipairs(locks) do
    if join_queue(l, asker, holds[index]) then joined = joined + 1 end
  end
  if joined == 0 or joined == count then return end
  for _, l in ipairs(locks) do
    redis.call('ZADD', l.queue, score_of(asker, string.format('%.0f', server_micros())), asker.entry)
  end
end

local left = since and quarantine_left(since, quarantine) or 0
if left > 0 then return {4, left} end

-- Read all lock keys first, so that no lock changes if Redis refuses to read one of them.
local holds = {}
for index, l in ipairs(locks) do
  holds[index] = hold_of(l)
  if holds[index] == nil then return {5, index} end
end
if redis.call('EXISTS', withdrawn) == 1 then return {2} end

local blocked, holder
for index = count, 1, -1 do
  local hold = holds[index]
  if hold and hold.owner ~= owner then
    blocked, holder = index, with_rest(locks[index], hold)
    if not holder then return {3, index} end
  end
end

for index, l in ipairs(locks) do
  if not holds[index] then
    -- A request must not overtake earlier ones that can be reached.
    local next_holder = hand_over(l, nil, '-', asker.entry, counted)
    if next_holder and not blocked then blocked, holder = index, next_holder end
  end
end

if blocked then
  join_queues(holds)
  for index, l in ipairs(locks) do
    -- The request was granted before, and has lost some of its locks since then: release the others.
    local hold = holds[index]
    if hold and hold.owner == owner and hold.request == request then
      release(l, hold, owner, request, 0, asker.entry, counted)
    end
  end
  local reply = refuse(locks[blocked], holder)
  reply[6] = blocked
  return reply
end

local again, known, fresh = true, 0, 0
for index, l in ipairs(locks) do
  local hold = holds[index]
  again = again and hold and hold.known
  known = math.max(known, hold and hold.token or 0)
  fresh = math.max(fresh, next_token(l, hold))
end
for index, l in ipairs(locks) do
  local hold = holds[index]
  -- Leave the queue even if another request of this owner holds the lock.
  if asker.asked_at ~= '' then remove_waiter(l, asker.entry, request) end
  if not hold then
    grant(l, asker, fresh)
  else
    prolong_lock(l, asker.ttl)
    if again then
      if hold.recorded then prolong_fence(l, asker.ttl) end
    else
      hold.token, hold.block, hold.request = fresh, asker.wants, hold.request or request
      write_hold(l, hold, time_to_live(l))
    end
  end
end
return {1, again and known or fresh}
