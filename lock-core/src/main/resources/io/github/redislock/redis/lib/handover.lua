-- Hands a lock over to the next waiter.

local ASK_WITHIN = 900  -- ms for which a free lock is reported as reserved for a waiter that has to ask

-- The results of notify_to_ask, by request. One message is enough for all locks of a script.
local notified = {}

-- Notifies a waiter to ask, once. A waiter finds out itself that a lease has ended, so it needs no message then.
--
-- needed: whether to send the message, and not only to count who would receive it
-- returns: like publish
local function notify_to_ask(waiter, needed, counted)
  local received = notified[waiter.request]
  if not received and (needed or waiter.inbox == '-') then
    received = notify(waiter, 0)
  elseif not received then
    local listeners = counted and redis.pcall('PUBSUB', 'NUMSUB', waiter.inbox)
    -- This Redis user may not be allowed to run PUBSUB.
    received = listeners and not listeners.err and listeners[2] or 1
  end
  notified[waiter.request] = received
  return received
end

-- Finds the first live waiter that can be reached, and notifies it. A waiter that cannot be reached keeps its place,
-- and is the next one only if no other request can have the lock. The description of a waiter that gets the lock is
-- removed.
--
-- request: the first in the queue
-- token: of the hand-over
-- from, asking, counted: like those of hand_over
-- returns: the waiter, whose claim is 0 if it has to ask; nil if the asking request is next or no request waits
local function next_waiter(l, request, token, from, asking, counted)
  local unreached
  local position = 0
  while request and request ~= asking do
    local waiter = read_waiter(l, request)
    if not waiter then
      remove_waiter(l, request)
    else
      if waiter.room then waiter.claim = '0' end
      local handed = waiter.claim ~= '0'
      if handed then redis.call('HDEL', l.waiters, request) else prolong_queue(l) end
      local received = handed and notify(waiter, token)
          or notify_to_ask(waiter, from ~= '-' or not asking, counted)
      if is_reached(received, counted) then return waiter end
      if handed then redis.call('HSET', l.waiters, request, waiter.text) end
      prolong_queue(l)
      unreached = unreached or waiter
      position = position + 1
    end
    request = redis.call('ZRANGE', l.queue, position, position)[1]
  end
  if asking or not unreached then return nil end
  if unreached.claim ~= '0' then redis.call('HDEL', l.waiters, unreached.request) end
  return unreached
end

-- Hands the lock over to the next waiter, or only notifies it to ask. A hand-over need not prolong the queue, which
-- outlives SILENCE_LIMIT after the last request of each waiter.
--
-- The first write is one that Redis accepts even if its memory is full. After it, Redis accepts the other writes of
-- the script as well, so that no announced hand-over fails for this reason.
--
-- For a release, a queue of another type counts as empty, because that data must not keep the lock from its release.
--
-- from: request that releases the lock, or "-"
-- asking: request that takes the lock itself when its turn comes, or nil; need not be in the queue
-- counted: whether PUBLISH returns the number of all receivers (not in a cluster)
-- returns: the next holder {owner, pttl (negative: for how many ms the free lock is reserved for it), token}, and
--          whether it has the lock now; or nil if the asking request is next or no request waits
local function hand_over(l, from, asking, counted)
  local request = l.first or (asking and redis.call('ZRANGE', l.queue, '0', '0')
      or redis.pcall('ZRANGE', l.queue, '0', '0'))[1]
  if not request then return nil end

  local token = next_token(read_fence(l))
  local waiter = next_waiter(l, request, token, from, asking, counted)
  if not waiter then return nil end
  local claim = tonumber(waiter.claim)
  if claim == 0 then
    note_release(l, from)
    return {owner = waiter.owner, pttl = -ASK_WITHIN, token = token}, false
  end
  redis.call('ZREM', l.queue, waiter.request)
  redis.call('SET', l.lock, waiter.owner, 'PX', claim)
  remember(l, token, waiter.wants, waiter.request, from ~= '-' and from or released_by(l.remembered), waiter.owner,
      claim)
  return {owner = waiter.owner, pttl = claim, token = token}, true
end
