-- The queue of requests that wait for a lock, in the order in which they joined it.
--
-- The queue is a sorted set of requests by the server's microsecond at which they joined. The waiters
-- are a hash from request to "<seen> <asked-at> <claim> <wants> <inbox> <owner>": when it last asked
-- (server's microseconds); the asker's own time stamp of that request; for how many ms it holds a lock that
-- was handed over to it, unless it renews it; how many fencing tokens it wants, or "*<n>" if it shares the
-- lock with others, at most n in all; the channel for its messages ("-": it polls); and its owner token.
--
-- A request for several locks is in all of their queues, with the same microsecond. Therefore, any two requests
-- have the same order in all queues, so that they do not wait for each other. A release cannot know whether all
-- of the locks are free, so it hands none over to such a request: its claim is 0, and it is notified to ask. The same
-- happens if an owner releases an exclusive lock and the next request wants to share it, because others may share it
-- too.

local QUEUE_TTL = 4000         -- ms after which the queue expires unless it is prolonged
local SILENCE_LIMIT = 3000000  -- microseconds without a request after which a waiter counts as dead

-- Messages that this script may not publish, each as "<channel> <message>", because some services bind the channels
-- of a script to the slot of its keys. The scripts release, release-all, release-shared, force-release and yield add
-- them to their reply, and the caller publishes them.
local unsent = {}

-- returns: how many may share the lock, or nil for a request that wants it exclusively
local function room_of(wants)
  return tonumber(string.match(wants, '^%*(%d+)$'))
end

-- returns: what enter_queue wrote, as fields and as text, and the room (see room_of); nil if the request does not
--          wait or counts as dead
local function read_waiter(l, request)
  local text = redis.call('HGET', l.waiters, request) or ''
  local seen, asked_at, claim, wants, inbox, owner = string.match(text, '^(%d+) (%S+) (%d+) (%S+) (%S+) (.*)$')
  if not seen or server_micros() - seen > SILENCE_LIMIT then return nil end
  return {request = request, asked_at = asked_at, claim = claim, wants = wants, inbox = inbox, owner = owner,
      room = room_of(wants), text = text}
end

-- Gives queue and waiters the same time to live, so that no request is queued without its description.
--
-- The queue comes first: before Redis 7.2 the clock advances while a script runs, and the queue must not outlive
-- the waiters.
local function prolong_queue(l)
  redis.call('PEXPIRE', l.queue, QUEUE_TTL)
  redis.call('PEXPIRE', l.waiters, QUEUE_TTL)
  keep_fence(l, QUEUE_TTL, QUEUE_TTL + 1000)
end

local function remove_waiter(l, request)
  redis.call('ZREM', l.queue, request)
  redis.call('HDEL', l.waiters, request)
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
-- returns: like publish; 1 for a waiter that polls and gets no message
local function notify(waiter, token)
  if waiter.inbox == '-' then return 1 end
  return publish(waiter.inbox, string.format('%s %s %.0f', waiter.request, waiter.asked_at, token))
end

-- Whether a waiter counts as notified. This is so if it polls, if this script may not publish, and in a cluster, where
-- the number of receivers is unknown. If a message is lost, the waiter finds out with its next request.
--
-- received: the result of notify
-- counted: whether PUBLISH returns the number of all receivers (not in a cluster)
local function is_reached(received, counted)
  return type(received) ~= 'number' or received > 0 or not counted
end

-- Notifies the first live waiter, among the first ten, to ask for the lock, if that waiter wants to share it. The
-- script that gives the waiter a place also admits the requests behind it.
local function notify_next(l)
  for _, request in ipairs(redis.call('ZRANGE', l.queue, '0', '9')) do
    local waiter = read_waiter(l, request)
    if waiter then
      if waiter.room then notify(waiter, 0) end
      return
    end
  end
end
