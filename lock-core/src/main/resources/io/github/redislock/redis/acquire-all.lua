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
--          {3, index}                                     the key of this lock is not a lock: it has no expiry, is
--                                                         not shared, and the fence does not name its value as
--                                                         the holder
--          {4, ms}                                        Redis grants no lock for this time: see lib/quarantine.lua
--          {5, index}                                     the key of this lock has another type

local count = math.floor(#KEYS / 4)
local withdrawn, since = KEYS[4 * count + 1], KEYS[4 * count + 2]

-- include: asker, fence, value, expand, quarantine, grant, recall, prolong
-- include: queue, handover, release, enter, join, locks

local asker, counted, quarantine = read_asker(1)
local owner, request = asker.owner, asker.request
local locks = keys_of_locks(count)

-- Queues the request with the same time everywhere: if it has lost its place in one queue, it loses it in all.
local function join_queues()
  if asker.inbox == '' then return end
  local joined = 0
  for _, l in ipairs(locks) do
    if join_queue(l, asker) then joined = joined + 1 end
  end
  if joined == 0 or joined == count then return end
  for _, l in ipairs(locks) do
    redis.call('ZADD', l.queue, string.format('%.0f', server_micros()), request)
  end
end

local left = since and quarantine_left(since, quarantine) or 0
if left > 0 then return {4, left} end

-- Read all lock keys first, so that no lock changes if Redis refuses to read one of them.
local present, remembered = {}, {}
for index, l in ipairs(locks) do
  local found = redis.pcall('GET', l.lock)
  if type(found) == 'table' then
    return string.find(found.err, 'WRONGTYPE', 1, true) and {5, index} or found
  end
  present[index] = found
end
if redis.call('EXISTS', withdrawn) == 1 then return {2} end
for index, l in ipairs(locks) do
  present[index] = expand(l, present[index])
  remembered[index] = redis.call('GET', l.fence)
end

local blocked, holder
for index = count, 1, -1 do
  local found = present[index]
  if found and found ~= owner then
    blocked, holder = index, holder_of(locks[index], found, remembered[index])
    if not holder then return {3, index} end
  end
end

for index, l in ipairs(locks) do
  if not present[index] then
    -- A request must not overtake earlier ones that can be reached.
    local next_holder = hand_over(l, '-', request, counted)
    if next_holder and not blocked then blocked, holder = index, next_holder end
  end
end

if blocked then
  join_queues()
  for index, l in ipairs(locks) do
    -- The request was granted before, and has lost some of its locks since then: release the others.
    local _, last_request = recall(remembered[index])
    if present[index] == owner and last_request == request then
      release(l, owner, owner, request, 0, request, counted)
    end
  end
  local reply = refuse(locks[blocked], holder)
  reply[6] = blocked
  return reply
end

local again, known, fresh = true, 0, 0
for index = 1, count do
  local last_token, _, _, last_owner = recall(remembered[index])
  again = again and present[index] == owner and last_owner == owner
  known = math.max(known, last_token or 0)
  fresh = math.max(fresh, next_token(remembered[index]))
end
for index, l in ipairs(locks) do
  -- Leave the queue even if another request of this owner holds the lock.
  if asker.inbox ~= '' then remove_waiter(l, request) end
  if not present[index] then
    grant(l, asker, fresh, released_by(remembered[index]))
  else
    prolong_lock(l, asker.ttl)
    if again then
      prolong_fence(l, asker.ttl)
    else
      local _, last_request, previous, last_owner = recall(remembered[index])
      if last_owner ~= owner then last_request, previous = request, '-' end
      remember(l, fresh, asker.wants, last_request, previous, owner, time_to_live(l))
    end
  end
end
return {1, again and known or fresh}
