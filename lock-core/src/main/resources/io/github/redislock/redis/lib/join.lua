-- Lets the asker wait for a lock that is not its own, and tells who has it.

local function refuse(holder, pttl, token)
  return {0, holder, pttl, token, redis.call('ZCARD', queue)}
end

-- PEXPIRE first, so that one may wait although the memory is full: see hand_over.
--
-- returns: whether it was not in the queue before
local function join_queue()
  if inbox == '' then return false end
  local exists = redis.call('PEXPIRE', queue, QUEUE_TTL)
  local now = string.format('%.0f', server_micros())
  redis.call('HSET', waiters, request,
      string.format('%s %s %s %s %s %s', now, asked_at, claim, block, inbox, owner))
  local joined = redis.call('ZADD', queue, 'NX', now, request)
  redis.call('PEXPIRE', waiters, QUEUE_TTL)
  if exists == 0 then redis.call('PEXPIRE', queue, QUEUE_TTL) end
  return joined == 1
end
