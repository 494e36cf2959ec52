-- Where instances wait for a lock, first come, first served.
--
-- The queue is a sorted set of requests by the server's microsecond at which they joined. The waiters
-- are a hash from request to "<seen> <asked-at> <claim> <block> <inbox> <owner>": when it last asked
-- (server's microseconds), the asker's own time stamp of that question (opaque here), how many ms
-- a lock that is handed over stays its own until it is renewed, how many fencing tokens it wants, the
-- channel where it hears of it ("-": it asks instead), and its owner token.

local QUEUE_TTL = 4000         -- ms without a question after which nobody waits any more
local SILENCE_LIMIT = 3000000  -- microseconds without a question after which a waiter counts as dead

local function leave_queue(waiter)
  redis.call('ZREM', queue, waiter)
  redis.call('HDEL', waiters, waiter)
end

-- Hands the lock over to the first live waiter that can be reached, and tells it. Who cannot be
-- reached keeps its place, and is given the lock only if nobody else wants it.
--
-- A write that Redis refuses only when it refuses all comes first: no message may go out for a
-- hand-over that then fails, and when its memory is full, Redis lets a script write only if it
-- has begun to.
--
-- from: request that lets go of the lock, or "-"
-- asker: request that takes the lock itself when its turn comes, or nil; need not be in the queue
-- counted: whether PUBLISH tells the number of all receivers (not so in a cluster)
-- returns: the new holder's owner token, its claim in ms, its fencing token; or nil if it is the
--          asker's turn or nobody waits
local function hand_over(from, asker, counted)
  local waiter = redis.call('ZRANGE', queue, '0', '0')[1]
  if not waiter then return nil end

  redis.call('PEXPIRE', queue, QUEUE_TTL)
  local now = server_micros()
  local token = next_token(redis.call('GET', fence))
  local place, chosen, entry = 0, nil, nil
  while waiter and waiter ~= asker do
    local known = redis.call('HGET', waiters, waiter)
    local seen, asked_at, inbox = string.match(known or '', '^(%d+) (%S+) %d+ %d+ (%S+)')
    if not seen or now - seen > SILENCE_LIMIT then
      leave_queue(waiter)
    else
      local message = string.format('%s %s %.0f', waiter, asked_at, token)
      local heard = inbox == '-' and 1 or redis.pcall('PUBLISH', inbox, message)
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
  leave_queue(chosen)
  local claim, block, owner = string.match(entry, '^%d+ %S+ (%d+) (%d+) %S+ (.*)$')
  redis.call('SET', lock, owner, 'PX', claim)
  remember(token, block, chosen, from, owner, tonumber(claim))
  return owner, tonumber(claim), token
end
