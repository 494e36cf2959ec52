-- Lets the asker wait for a lock that is not its own, and tells who has it.

-- Notes that a program holds the lock which cannot join: its next turn is when ours have had the lock
-- for as long as the asker has waited.
local function note_foreign()
  local now = server_micros() / 1000
  local waited = now - redis.call('ZSCORE', queue, request) / 1000
  local share = math.max(SHARE, math.min(waited, LONGEST_SHARE))
  redis.call('ZADD', queue, 0, FOREIGN)
  redis.call('HSET', waiters, FOREIGN, string.format('%.0f %d 0', now + share, SHARE))
end

local function refuse(holder, pttl, token)
  if token == 0 and inbox ~= '' then note_foreign() end
  return {0, holder, pttl, token, redis.call('ZCOUNT', queue, '(0', '+inf')}
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
