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
  if not received and (needed or waiter.polls) then
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
-- and is the next one only if no other request can have the lock. A waiter that gets the lock is removed.
--
-- token: of the hand-over
-- from, asking, counted: like those of hand_over
-- returns: the waiter, whose claim is 0 if it has to ask; nil if the asking request is next or no request waits
local function next_waiter(l, token, from, asking, counted)
  local unreached, position = nil, 0
  while true do
    local entry, joined = entry_at(l, position, asking)
    if not entry or entry == asking then break end
    local waiter = read_waiter(l, entry, joined)
    if not waiter then
      remove_waiter(l, entry, string.match(entry, '^%S+'))
    else
      if waiter.room then waiter.claim = '0' end
      local handed = waiter.claim ~= '0'
      if handed then redis.call('ZREM', l.queue, entry) else prolong_queue(l) end
      local received = handed and notify(waiter, token)
          or notify_to_ask(waiter, from ~= '-' or not asking, counted)
      if is_reached(received, counted) then
        if handed then redis.call('HDEL', l.waiters, waiter.request, entry) end
        return waiter
      end
      if handed then redis.call('ZADD', l.queue, joined, entry) end
      prolong_queue(l)
      unreached = unreached or waiter
      position = position + 1
    end
  end
  if asking or not unreached then return nil end
  if unreached.claim ~= '0' then remove_waiter(l, unreached.entry, unreached.request) end
  return unreached
end

-- Hands the lock over to the next waiter, or only notifies it to ask. A hand-over need not prolong the queue, which
-- outlives SILENCE_LIMIT after the last request of each waiter.
--
-- The first write is one that Redis accepts even if its memory is full. After it, Redis accepts the other writes of
-- the script as well, so that no announced hand-over fails for this reason.
--
-- hold: the holder until now, or nil
-- from: request that releases the lock, or "-"
-- asking: entry of the request that takes the lock itself when its turn comes, or nil; need not be in the queue
-- counted: whether PUBLISH returns the number of all receivers (not in a cluster)
-- returns: the next holder {owner, pttl (negative: for how many ms the free lock is reserved for it), token}, and
--          whether it has the lock now; or nil if the asking request is next or no request waits
local function hand_over(l, hold, from, asking, counted)
  local token = next_token(l, hold)
  local waiter = next_waiter(l, token, from, asking, counted)
  if not waiter then return nil end
  local claim = tonumber(waiter.claim)
  if claim == 0 then return {owner = waiter.owner, pttl = -ASK_WITHIN, token = token}, false end
  local next_hold = {owner = waiter.owner, block = waiter.wants, token = token, request = waiter.request,
      previous = from ~= '-' and from or released_by(l), pttl = claim}
  write_hold(l, next_hold, claim)
  return next_hold, true
end
