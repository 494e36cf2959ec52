-- Lets the asker wait for a lock, and reports its holder.
--
-- asker: its owner, request, ttl, wants, asked_at, claim, inbox

-- holder: like the results of holder_of and hand_over
local function refuse(l, holder)
  return {0, holder.owner, holder.pttl, holder.token, redis.call('ZCARD', l.queue)}
end

-- Adds the request to the queue, if it waits. Existing keys are prolonged first, so that it can join an existing
-- queue even if the memory is full (see hand_over).
--
-- returns: whether the request is new in the queue
local function join_queue(l, asker)
  if asker.inbox == '' then return false end
  local prolonged = prolong_queue(l)
  local now = server_micros()
  write_waiter(l, asker, now)
  local joined = redis.call('ZADD', l.queue, 'NX', string.format('%.0f', now), asker.request)
  if not prolonged then prolong_queue(l) end
  return joined == 1
end
