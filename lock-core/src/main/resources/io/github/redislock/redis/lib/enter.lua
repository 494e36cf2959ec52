-- Lets the asker wait for a lock, and reports its holder.
--
-- These functions need no others, so a script can call them before it defines others: see lib/pass.lua.
--
-- asker: its request, asked_at, claim, wants, inbox and owner
-- holder: like the results of holder_of and hand_over

local function refuse(l, holder)
  return {0, holder.owner, holder.pttl, holder.token, redis.call('ZCARD', l.queue)}
end

-- Adds the request to the queue. An existing queue is prolonged first, so that the request can join it even if the
-- memory is full (see hand_over), and before the waiters (see prolong_queue).
--
-- seen: the server's microseconds
-- returns: whether the request is new in the queue
local function enter_queue(l, asker, seen)
  local digits = string.format('%.0f', seen)
  redis.call('PEXPIRE', l.queue, '4000')
  redis.call('HSET', l.waiters, asker.request, digits .. ' ' .. asker.asked_at .. ' ' .. asker.claim .. ' '
      .. asker.wants .. ' ' .. asker.inbox .. ' ' .. asker.owner)
  local joined = redis.call('ZADD', l.queue, 'NX', digits, asker.request)
  redis.call('PEXPIRE', l.queue, '4000')
  redis.call('PEXPIRE', l.waiters, '4000')
  return joined == 1
end

-- Adds the request to the queue in the usual case: it waits, and the fence need not be kept for longer.
--
-- l.remembered: the fence, which exists
-- l.time: the server's clock, if it was read
-- returns: see refuse; nil in any other case, in which nothing changes
local function wait_at_once(l, asker, holder)
  local kept = string.match(l.remembered, '^%d+ %d+ (%d+) ')
  local time = l.time or redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  -- Compare with QUEUE_TTL.
  if asker.inbox == '' or not kept or kept - now / 1000 < 4000 then return nil end
  enter_queue(l, asker, now)
  return refuse(l, holder)
end
