-- The queue of requests that wait for a lock, in the order in which they joined it.
--
-- The queue is a sorted set of entries (see lib/entry.lua) by the server's microsecond at which they joined. The
-- waiters are a hash from request to "<seen> <asked-at>": when it last asked (server's microseconds), and the asker's
-- own time stamp of that request. A request that has asked only once is not in the hash. The score of the queue has a
-- fraction if the request polls (.5), or if the hash may describe it (.25).
--
-- A request for several locks is in all of their queues, with the same microsecond. Therefore, any two requests
-- have the same order in all queues, so that they do not wait for each other. A release cannot know whether all
-- of the locks are free, so it hands none over to such a request: its claim is 0, and it is notified to ask. The same
-- happens if an owner releases an exclusive lock and the next request wants to share it, because others may share it
-- too.
--
-- Version 2 of the contract puts only the request into the queue, and "<seen> <asked-at> <claim> <wants> <inbox>
-- <owner>" into the hash. Where an instance of that version may release the lock, entries are described in the same
-- way. A request of that version for an exclusive lock is notified to ask, since its instance knows these locks only in
-- its own form.

local QUEUE_TTL = 4000         -- ms after which the queue expires unless it is prolonged
local SILENCE_LIMIT = 3000000  -- microseconds without a request after which a waiter counts as dead

-- Messages that this script may not publish, each as "<channel> <message>", because some services bind the channels
-- of a script to the slot of its keys. The scripts release, release-shared, force-release and yield add them to their
-- reply, and the caller publishes them.
local unsent = {}

-- returns: how many may share the lock, or nil for a request that wants it exclusively
local function room_of(wants)
  return tonumber(string.match(wants, '^%*(%d+)$'))
end

-- For a release, a queue of another type counts as empty, because that data must not keep the lock from its release.
--
-- asking: entry of the request that takes the lock itself when its turn comes, or nil for a release
-- returns: entry at a position in the queue, and its score; nil if there is none
local function entry_at(l, position, asking)
  local found = asking and redis.call('ZRANGE', l.queue, position, position, 'WITHSCORES')
      or redis.pcall('ZRANGE', l.queue, position, position, 'WITHSCORES')
  return found[1], found[2]
end

-- joined: score of the entry in the queue
-- returns: the waiter: its entry and the fields of the entry, asked_at ("-": when it joined), polls, and the room (see
--          room_of); nil if the request counts as dead
local function read_waiter(l, entry, joined)
  local waiter = read_entry(entry)
  local noted = redis.call('HGET', l.waiters, waiter.request or entry) or ''
  local seen, asked_at = string.match(noted, '^(%d+) (%S+)')
  if not waiter.request then
    waiter.request = entry
    waiter.claim, waiter.wants, waiter.inbox, waiter.owner = string.match(noted, '^%d+ %S+ (%d+) (%S+) (%S+) (.*)$')
  end
  if not waiter.owner or server_micros() - (seen or joined) > SILENCE_LIMIT then return nil end
  waiter.asked_at, waiter.room = asked_at or '-', room_of(waiter.wants)
  if waiter.request == entry and not waiter.room then waiter.claim = '0' end
  waiter.polls = waiter.inbox == '-' or string.find(joined, '.5', 1, true)
  return waiter
end

local function prolong_queue(l)
  redis.call('PEXPIRE', l.queue, QUEUE_TTL)
  keep_fence(l, QUEUE_TTL, QUEUE_TTL + 1000)
end

-- entry, request: of the waiter
local function remove_waiter(l, entry, request)
  redis.call('ZREM', l.queue, entry)
  redis.call('HDEL', l.waiters, request, entry)
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
  if waiter.polls then return 1 end
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
  local first = redis.call('ZRANGE', l.queue, '0', '9', 'WITHSCORES')
  for index = 1, #first, 2 do
    local waiter = read_waiter(l, first[index], first[index + 1])
    if waiter then
      if waiter.room then notify(waiter, 0) end
      return
    end
  end
end
