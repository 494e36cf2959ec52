-- Lets the asker wait for a lock, keeps the fence as long as its queue, and reports the holder.

-- micros: the server's, as text
-- returns: the score of an asker that the hash of waiters describes
local function score_of(asker, micros)
  return micros .. (asker.asked_at == '-' and '.5' or '.25')
end

-- Adds the request to the queue, or notes that it still waits. An existing queue is prolonged first, so that the
-- request can join it even if the memory is full (see hand_over).
--
-- hold: the present holder, or nil
-- returns: whether the request is new in the queue
local function join_queue(l, asker, hold)
  if asker.asked_at == '' then return false end
  if hold and hold.bare then record_hold(l, hold) end
  -- This fails for a key of another type, which must not get an expiry.
  redis.call('ZCARD', l.queue)
  prolong_queue(l)
  local micros, polls = string.format('%.0f', server_micros()), asker.asked_at == '-'
  -- An instance with version 2 of the contract may hold the lock. It takes the entry for the request.
  local described = (not hold or hold.recorded) and not room_of(asker.wants)
  if described then
    redis.call('HSET', l.waiters, asker.entry,
        string.format('%s - 0 %s %s %s', micros, asker.wants, polls and '-' or asker.inbox, asker.owner))
  end
  local score = (described or polls) and score_of(asker, micros) or micros
  local joined = redis.call('ZADD', l.queue, 'NX', score, asker.entry) == 1
  redis.call('PEXPIRE', l.queue, QUEUE_TTL)
  if not joined then
    score = score_of(asker, string.match(redis.call('ZSCORE', l.queue, asker.entry), '^%d+'))
    redis.call('ZADD', l.queue, score, asker.entry)
    redis.call('HSET', l.waiters, asker.request, micros .. ' ' .. asker.asked_at)
  end
  redis.call('PEXPIRE', l.waiters, QUEUE_TTL)
  return joined
end

-- holder: a hold with its pttl, or what hand_over returns
local function refuse(l, holder)
  return {0, holder.owner, holder.pttl, holder.token, redis.call('ZCARD', l.queue)}
end
