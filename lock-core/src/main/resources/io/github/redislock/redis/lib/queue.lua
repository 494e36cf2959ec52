-- Where instances wait for a lock, first come, first served.
--
-- The queue is a sorted set of requests by the server's microsecond at which they joined. The waiters
-- are a hash from request to "<seen> <asked-at> <claim> <block> <inbox> <owner>": when it last asked
-- (server's microseconds), the asker's own time stamp of that question (opaque here), how many ms
-- a lock that is handed over stays its own until it is renewed, how many fencing tokens it wants, the
-- channel where it hears of it ("-": it asks instead), and its owner token.

local QUEUE_TTL = 4000         -- ms without a question after which nobody waits any more
local SILENCE_LIMIT = 3000000  -- microseconds without a question after which a waiter counts as dead

local function leave_queue(keys, request)
  redis.call('ZREM', keys.queue, request)
  redis.call('HDEL', keys.waiters, request)
end

-- Joins the queue, or keeps the place in it.
local function join_queue(keys, asker)
  local now = server_micros()
  local entry = string.format('%.0f %s %s %s %s %s', now, asker.asked_at, asker.claim, asker.block,
      asker.inbox, asker.owner)
  redis.call('HSET', keys.waiters, asker.request, entry)
  redis.call('ZADD', keys.queue, 'NX', string.format('%.0f', now), asker.request)
  redis.call('PEXPIRE', keys.waiters, QUEUE_TTL)
  redis.call('PEXPIRE', keys.queue, QUEUE_TTL)
end

local function read_waiter(keys, request, now)
  local seen, asked_at, claim, block, inbox, owner = string.match(
      redis.call('HGET', keys.waiters, request) or '', '^(%d+) (%S+) (%d+) (%d+) (%S+) (.*)$')
  if not seen or now - tonumber(seen) > SILENCE_LIMIT then return nil end
  return {
    request = request, asked_at = asked_at, claim = tonumber(claim), block = tonumber(block),
    inbox = inbox, owner = owner
  }
end

-- Hands the lock over to the first live waiter that can be reached, and tells it. Who cannot be
-- reached keeps its place, and is given the lock only if nobody else wants it.
--
-- Leaving the queue comes before SET: when its memory is full, Redis lets a script write only if
-- it has begun to.
--
-- keys: of the lock
-- from: request that lets go of the lock, or "-"
-- asker: request that takes the lock itself when its turn comes, or nil; need not be in the queue
-- counted: whether PUBLISH tells the number of all receivers (not so in a cluster)
-- returns: the new holder's owner token, its claim in ms, its fencing token; or nil if it is the
--          asker's turn or nobody waits
local function hand_over(keys, from, asker, counted)
  local request = redis.call('ZRANGE', keys.queue, 0, 0)[1]
  if not request then return nil end

  local now = server_micros()
  local token = math.max(now, read_fence(redis.call('GET', keys.fence)).last + 1)
  local next_one, unreached
  local index = 0
  while request and request ~= asker and not next_one do
    local waiter = read_waiter(keys, request, now)
    if not waiter then
      leave_queue(keys, request)
    else
      local message = string.format('%s %s %.0f', request, waiter.asked_at, token)
      if waiter.inbox == '-' or redis.call('PUBLISH', waiter.inbox, message) > 0 or not counted then
        next_one = waiter
      else
        unreached = unreached or waiter
        index = index + 1
      end
    end
    request = redis.call('ZRANGE', keys.queue, index, index)[1]
  end

  if not next_one and not asker then next_one = unreached end
  if not next_one then return nil end
  leave_queue(keys, next_one.request)
  redis.call('SET', keys.lock, next_one.owner, 'PX', next_one.claim)
  write_fence(keys.fence, token, next_one.block, next_one.request, from, next_one.owner, next_one.claim)
  return next_one.owner, next_one.claim, token
end
