-- The queue of instances that wait for a lock, first come, first served.
--
-- The queue is a sorted set of requests by the server's microsecond at which they joined. The waiters
-- are a hash from request to "<seen> <asked-at> <claim> <wants> <inbox> <owner>": when it last asked
-- (server's microseconds); the asker's own time stamp of that request; for how many ms it holds a lock that
-- was handed over to it, unless it renews it; how many fencing tokens it wants, or "*<n>" if it shares the
-- lock with others, n in all; the channel for its messages ("-": it polls); and its owner token.
--
-- A request for several locks is in all of their queues, with the same microsecond. Therefore any two requests
-- have the same order in all queues, and never wait for each other. A release cannot know whether all of the locks
-- are free, so it hands none over to such a request: its claim is 0, and it is notified to ask. The same happens if
-- an owner releases an exclusive lock and the next request wants to share it, because others may share it too.
--
-- Programs that only know the lock key cannot join. A waiter that finds the lock held by one of them adds "-"
-- for all of them at the head of the queue. Its "<due> <share> <until>" are the time (ms) after which a released
-- lock is left free for a moment, how long our requests may have it after that moment, and the time until which it
-- is left free now (0: it is not left free).

local QUEUE_TTL = 4000         -- ms without a request after which the queue expires
local SILENCE_LIMIT = 3000000  -- microseconds without a request after which a waiter counts as dead
local TURN = 900               -- ms after which to check whether a waiter that was notified to ask has asked

local FOREIGN = '-'
local MOMENT = 120          -- ms for which the lock is left free: redis-py polls every 100
local SHARE = 200           -- ms for which our requests have the lock between two such moments
local LONGEST_SHARE = 3000  -- ms, if no such program uses the moments

-- Messages that this script may not publish, each as "<channel> <message>". A script that releases a lock adds
-- them to its reply, and its caller publishes them, because some services bind the channels of a script to the
-- slot of its keys.
local unsent = {}

-- How many clients received the message to ask, by request. One message is enough for all locks of a script.
local told = {}

-- returns: how many may share the lock, or nil for a request that wants it exclusively
local function room_of(wants)
  return tonumber(string.match(wants, '^%*(%d+)$'))
end

-- asker: its request, asked_at, claim, wants, inbox and owner
-- seen: the server's microseconds
local function write_waiter(l, asker, seen)
  redis.call('HSET', l.waiters, asker.request, string.format('%.0f %s %s %s %s %s', seen, asker.asked_at,
      asker.claim, asker.wants, asker.inbox, asker.owner))
end

-- returns: the fields that write_waiter wrote, and the room (see room_of); nil if the request does not
--          wait or counts as dead
local function read_waiter(l, request)
  local seen, asked_at, claim, wants, inbox, owner = string.match(
      redis.call('HGET', l.waiters, request) or '', '^(%d+) (%S+) (%d+) (%S+) (%S+) (.*)$')
  if not seen or server_micros() - seen > SILENCE_LIMIT then return nil end
  return {request = request, asked_at = asked_at, claim = claim, wants = wants, inbox = inbox, owner = owner,
      room = room_of(wants)}
end

-- Gives queue and waiters the same time to live, so that no request is queued without its description.
--
-- The queue comes first: before Redis 7.2 the clock advances while a script runs, and the queue must not outlive
-- the waiters.
--
-- returns: whether both exist
local function prolong_queue(l)
  local both = redis.call('PEXPIRE', l.queue, QUEUE_TTL) == 1 and redis.call('PEXPIRE', l.waiters, QUEUE_TTL) == 1
  keep_fence(l, QUEUE_TTL, QUEUE_TTL + 1000)
  return both
end

local function remove_waiter(l, request)
  redis.call('ZREM', l.queue, request)
  redis.call('HDEL', l.waiters, request)
end

-- Records the turns of programs that cannot join: see the top of this file.
local function write_foreign(l, due, share, till)
  redis.call('HSET', l.waiters, FOREIGN, string.format('%.0f %d %.0f', due, share, till))
end

-- returns: how many clients subscribe to the channel; 1 if this Redis user may not run PUBSUB
local function listeners(inbox)
  local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
  return reply.err and 1 or reply[2]
end

-- returns: how many clients received the message, or the error if this script may not publish it
local function publish(channel, message)
  local received = redis.pcall('PUBLISH', channel, message)
  if type(received) ~= 'number' then unsent[#unsent + 1] = channel .. ' ' .. message end
  return received
end

-- Sends a waiter its message.
--
-- token: of the hand-over, or 0 if the waiter has to ask
-- returns: like publish
local function tell(waiter, token)
  return publish(waiter.inbox, string.format('%s %s %.0f', waiter.request, waiter.asked_at, token))
end

-- Whether a waiter was notified, will be notified by the caller of this script, or polls. Always true in a
-- cluster, where this is unknown. If a message is lost, the waiter finds out with its next request.
--
-- received: the result of tell
-- counted: whether PUBLISH returns the number of all receivers (not in a cluster)
local function is_reached(received, counted)
  return type(received) ~= 'number' or received > 0 or not counted
end

-- Begins or ends a moment for programs that cannot join, if it is time to do so.
--
-- released: whether a holder releases the lock while a request waits for it
-- returns: for how many ms the lock is left free for them, or nil
local function foreign_moment(l, released)
  local due, share, till = string.match(redis.call('HGET', l.waiters, FOREIGN) or '', '^(%d+) (%d+) (%d+)$')
  local now = math.floor(server_micros() / 1000)
  if not due then
    remove_waiter(l, FOREIGN)
    return nil
  end
  due, share, till = tonumber(due), tonumber(share), tonumber(till)
  -- Ignore a later time, which was written before the server's clock was set back.
  if till > now and till <= now + MOMENT then return math.max(till - now, 2) end
  if till > 0 then
    share = math.min(share + MOMENT, LONGEST_SHARE)
    due, till = now + share, 0
  elseif released and (due <= now or due > now + LONGEST_SHARE) then
    till = now + MOMENT
  else
    return nil
  end
  write_foreign(l, due, share, till)
  return till > 0 and MOMENT or nil
end

-- Notifies the first live waiter to ask for the lock, if that waiter wants to share it. The script that gives the
-- waiter a place also admits the requests behind it.
--
-- anyway: whether to notify the waiter even if it wants the lock exclusively
local function tell_next(l, anyway)
  for _, request in ipairs(redis.call('ZRANGE', l.queue, '0', '9')) do
    local waiter = read_waiter(l, request)
    if waiter then
      if (anyway or waiter.room) and waiter.inbox ~= '-' then tell(waiter, 0) end
      return
    end
  end
end

-- Hands the lock over to the first live waiter that can be reached, and notifies it, or only notifies it to ask.
-- A waiter that cannot be reached keeps its place, and gets the lock only if no other request can have it.
--
-- The first write is one that Redis accepts even if its memory is full. After it, Redis accepts the other writes of
-- the script as well, so no message announces a hand-over that fails.
--
-- from: request that releases the lock, or "-"
-- asking: request that takes the lock itself when its turn comes, or nil; need not be in the queue
-- counted: whether PUBLISH returns the number of all receivers (not in a cluster)
-- returns: the next owner's token, for how many ms it has the lock (negative: for how many ms the free lock is
--          reserved for it), its fencing token, and whether it has the lock now; or nil if the asking
--          request is next or no request waits
local function hand_over(l, from, asking, counted)
  local request = redis.call('ZRANGE', l.queue, '0', '0')[1]
  if not request then return nil end

  prolong_queue(l)
  local remembered = redis.call('GET', l.fence)
  local token = next_token(remembered)
  local place, chosen = 0, nil
  if request == FOREIGN then
    request = redis.call('ZRANGE', l.queue, '1', '1')[1]
    local left = foreign_moment(l, from ~= '-' and (asking or request))
    if left then
      if from ~= '-' then note_release(l, remembered, from) end
      if not asking then tell_next(l, true) end
      return FOREIGN, -left, token, false
    end
    place = redis.call('ZSCORE', l.queue, FOREIGN) and 1 or 0
  end
  while request and request ~= asking do
    local waiter = read_waiter(l, request)
    if not waiter then
      remove_waiter(l, request)
    else
      if waiter.room then waiter.claim = '0' end
      local received = told[request]
      if waiter.inbox == '-' then
        received = 1
      elseif waiter.claim ~= '0' then
        received = tell(waiter, token)
      elseif not received then
        if asking and from == '-' then
          -- If no holder releases the lock, for example because its lease has ended, the waiter finds out itself.
          received = counted and listeners(waiter.inbox) or 1
        else
          received = tell(waiter, 0)
        end
        told[request] = received
      end
      if is_reached(received, counted) then
        chosen = waiter
        break
      end
      if not chosen and not asking then chosen = waiter end
      place = place + 1
    end
    request = redis.call('ZRANGE', l.queue, place, place)[1]
  end

  if not chosen then return nil end
  if chosen.claim == '0' then
    if from ~= '-' then note_release(l, remembered, from) end
    return chosen.owner, -TURN, token, false
  end
  local claim = tonumber(chosen.claim)
  remove_waiter(l, chosen.request)
  redis.call('SET', l.lock, chosen.owner, 'PX', claim)
  remember(l, token, chosen.wants, chosen.request, from ~= '-' and from or released_by(remembered), chosen.owner,
      claim)
  return chosen.owner, claim, token, true
end
