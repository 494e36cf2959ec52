-- Lets the asker wait for a lock, and reports its holder.
--
-- asker: its owner, request, ttl, wants, asked_at, claim, inbox

-- Records that the holder is a program that cannot join the queue. Its next turn is due after as long as the asker has
-- waited so far, but after at least SHARE and at most LONGEST_SHARE.
local function note_foreign(l, asker)
  local now = server_micros() / 1000
  local waited = now - redis.call('ZSCORE', l.queue, asker.request) / 1000
  local share = math.max(SHARE, math.min(waited, LONGEST_SHARE))
  redis.call('ZADD', l.queue, 0, FOREIGN)
  write_foreign(l, now + share, SHARE, 0)
end

-- holder: like the results of holder_of and hand_over
local function refuse(l, asker, holder)
  if holder.token == 0 and asker.inbox ~= '' then note_foreign(l, asker) end
  return {0, holder.owner, holder.pttl, holder.token, redis.call('ZCOUNT', l.queue, '(0', '+inf')}
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
