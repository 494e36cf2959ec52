-- Leaves gaps for programs that only know the lock key and cannot join the queue.
--
-- A waiter that finds the lock held by one of these programs adds "-" for all of them at the head of the queue. Its
-- description is "<due> <share> <until>": the time (server's ms) after which a released lock is left free for a
-- moment, how long our requests may have it after that moment, and the time until which it is left free now (0: it is
-- not left free).

local FOREIGN = '-'
local MOMENT = 120          -- ms for which the lock is left free: redis-py polls every 100 ms by default
local SHARE = 200           -- ms, the shortest time between two such moments
local LONGEST_SHARE = 3000  -- ms, the longest one: the time grows while no such program uses the moments

local function write_foreign(l, due, share, till)
  redis.call('HSET', l.waiters, FOREIGN, string.format('%.0f %d %.0f', due, share, till))
end

-- Begins or ends a moment, if it is time to do so.
--
-- released: whether a holder releases the lock while a request waits for it
-- returns: for how many ms the lock is left free, or nil
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

-- Leaves the lock free, or skips the head of the queue. Called if FOREIGN is at the head.
--
-- from, asking: like those of hand_over
-- returns: for how many ms the lock is left free, or nil; the first of our requests, and its position in the queue
local function foreign_turn(l, from, asking)
  local request = redis.call('ZRANGE', l.queue, '1', '1')[1]
  local left = foreign_moment(l, from ~= '-' and (asking or request))
  if not left then return nil, request, redis.call('ZSCORE', l.queue, FOREIGN) and 1 or 0 end
  note_release(l, from)
  if not asking then notify_next(l, true) end
  return left
end
