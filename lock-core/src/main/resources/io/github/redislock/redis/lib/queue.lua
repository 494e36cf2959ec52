-- Where instances wait for a lock, first come, first served.
--
-- The queue is a sorted set of requests by the server's microsecond at which they joined. The waiters
-- are a hash from request to "<seen> <asked-at> <claim> <block> <inbox> <owner>": when it last asked
-- (server's microseconds), the asker's own time stamp of that question (opaque here), how many ms
-- a lock that is handed over stays its own until it is renewed, how many fencing tokens it wants, or
-- "*<n>" if it shares the lock with others, n in all; the channel where it hears of it ("-": it asks
-- instead), and its owner token.
--
-- Who waits for several locks at once stands in the queues of all of them, with the same microsecond:
-- so any two have the same order wherever they meet, and never wait for one another. No release can
-- know that all of them are free, so it is handed none: its claim is 0, and it is told to ask. So is,
-- by who had the lock alone, whoever wants to share it: others may want that with it.
--
-- Programs that know the lock key only cannot join. A waiter that finds the lock held by one of them
-- lets "-" stand for them all, before everybody else: "<due> <share> <until>" says from when on (ms)
-- a lock that is let go is left free for a moment, how long ours have it after that moment, and until
-- when it is left free now, 0 if it is not.

local QUEUE_TTL = 4000         -- ms without a question after which nobody waits any more
local SILENCE_LIMIT = 3000000  -- microseconds without a question after which a waiter counts as dead
local TURN = 900               -- ms after which to look whether who was told to ask has taken its turn

local FOREIGN = '-'
local MOMENT = 120          -- ms for which the lock is left free: redis-py asks every 100
local SHARE = 200           -- ms for which ours have the lock between two such moments
local LONGEST_SHARE = 3000  -- ms, where nobody was seen to make use of them

-- What became of the messages to those who were told to ask: one is enough for all locks of a script.
local told = {}

-- returns: how many may share the lock, or nil for who wants it alone
local function room_of(block)
  return tonumber(string.match(block, '^%*(%d+)$'))
end

-- returns: how many hear what is published there; 1 if this user may not ask
local function listeners(inbox)
  local answer = redis.pcall('PUBSUB', 'NUMSUB', inbox)
  return answer.err and 1 or answer[2]
end

local function leave_queue(waiter)
  redis.call('ZREM', queue, waiter)
  redis.call('HDEL', waiters, waiter)
end

-- Lets a moment for programs that cannot join begin or end, if it is time.
--
-- released: whether somebody lets go of the lock for somebody who waits
-- returns: for how many ms the lock is left free for them, or nil
local function free_moment(released)
  local due, share, till = string.match(redis.call('HGET', waiters, FOREIGN) or '', '^(%d+) (%d+) (%d+)$')
  local now = math.floor(server_micros() / 1000)
  if not due then
    leave_queue(FOREIGN)
    return nil
  end
  due, share, till = tonumber(due), tonumber(share), tonumber(till)
  -- What lies further ahead than that was noted before the server's clock went back.
  if till > now and till <= now + MOMENT then return math.max(till - now, 2) end
  if till > 0 then
    share = math.min(share + MOMENT, LONGEST_SHARE)
    due, till = now + share, 0
  elseif released and (due <= now or due > now + LONGEST_SHARE) then
    till = now + MOMENT
  else
    return nil
  end
  redis.call('HSET', waiters, FOREIGN, string.format('%.0f %d %.0f', due, share, till))
  return till > 0 and MOMENT or nil
end

-- Tells the first live waiter to ask, if it would share the lock: who stood before it has gone, and
-- others share the lock already. That one, once it has its place, lets in all who stand behind it.
--
-- anyway: also if it would not
local function tell_next(anyway)
  for _, waiter in ipairs(redis.call('ZRANGE', queue, '0', '9')) do
    local seen, asked_at, block, inbox = string.match(
        redis.call('HGET', waiters, waiter) or '', '^(%d+) (%S+) %d+ (%S+) (%S+)')
    if seen and server_micros() - seen <= SILENCE_LIMIT then
      if (anyway or room_of(block)) and inbox ~= '-' then
        redis.pcall('PUBLISH', inbox, string.format('%s %s 0', waiter, asked_at))
      end
      return
    end
  end
end

-- Hands the lock over to the first live waiter that can be reached, and tells it; or tells it to ask.
-- Who cannot be reached keeps its place, and is given the lock only if nobody else wants it.
--
-- A write that Redis refuses only when it refuses all comes first: no message may go out for a
-- hand-over that then fails, and when its memory is full, Redis lets a script write only if it
-- has begun to.
--
-- from: request that lets go of the lock, or "-"
-- asker: request that takes the lock itself when its turn comes, or nil; need not be in the queue
-- counted: whether PUBLISH tells the number of all receivers (not so in a cluster)
-- returns: the owner token of who is next, for how many ms to count on that (negative if the lock is
--          free, and kept for it), its fencing token, and whether the lock is its own now; or nil if
--          it is the asker's turn or nobody waits
local function hand_over(from, asker, counted)
  local waiter = redis.call('ZRANGE', queue, '0', '0')[1]
  if not waiter then return nil end

  redis.call('PEXPIRE', queue, QUEUE_TTL)
  local now = server_micros()
  local remembered = redis.call('GET', fence)
  local token = next_token(remembered)
  local place, chosen, entry = 0, nil, nil
  if waiter == FOREIGN then
    waiter = redis.call('ZRANGE', queue, '1', '1')[1]
    local left = free_moment(from ~= '-' and (asker or waiter))
    if left then
      if from ~= '-' then note_release(remembered, from) end
      if not asker then tell_next(true) end
      return FOREIGN, -left, token, false
    end
    place = redis.call('ZSCORE', queue, FOREIGN) and 1 or 0
  end
  while waiter and waiter ~= asker do
    local known = redis.call('HGET', waiters, waiter)
    local seen, asked_at, claim, block, inbox = string.match(known or '', '^(%d+) (%S+) (%d+) (%S+) (%S+)')
    if block and room_of(block) then claim = '0' end
    if not seen or now - seen > SILENCE_LIMIT then
      leave_queue(waiter)
    else
      local heard = told[waiter]
      if inbox == '-' then
        heard = 1
      elseif claim ~= '0' then
        heard = redis.pcall('PUBLISH', inbox, string.format('%s %s %.0f', waiter, asked_at, token))
      elseif not heard then
        if asker and from == '-' then
          -- Where nobody lets go, as when a lease is over, it finds that by its own questions.
          heard = counted and listeners(inbox) or 1
        else
          heard = redis.pcall('PUBLISH', inbox, string.format('%s %s 0', waiter, asked_at))
        end
        told[waiter] = heard
      end
      -- Where this user may not publish, the waiter finds it with its next question.
      if type(heard) ~= 'number' or heard > 0 or not counted then
        chosen, entry = waiter, known
        break
      end
      if not chosen and not asker then chosen, entry = waiter, known end
      place = place + 1
    end
    waiter = redis.call('ZRANGE', queue, place, place)[1]
  end

  if not chosen then return nil end
  local claim, block, owner = string.match(entry, '^%d+ %S+ (%d+) (%S+) %S+ (.*)$')
  if claim == '0' or room_of(block) then
    if from ~= '-' then note_release(remembered, from) end
    return owner, -TURN, token, false
  end
  leave_queue(chosen)
  redis.call('SET', lock, owner, 'PX', claim)
  remember(token, block, chosen, from ~= '-' and from or released_by(remembered), owner, tonumber(claim))
  return owner, tonumber(claim), token, true
end
