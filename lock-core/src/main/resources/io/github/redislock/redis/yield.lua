-- Yields a lock to the next request and asks for it again: a release and an acquisition in one step. An asker that
-- waits joins the end of the queue. If no other request that can be reached waits, the asker gets the lock at once.
--
-- KEYS: lock, fence, queue, waiters, withdrawn (cancel:<request>), since (only with a quarantine)
-- ARGV: owner, request (both of the current holder), the asker's arguments (see lib/asker.lua)
-- returns: {1 or 0 like a release, then the result of an acquisition}
--          if the asker was refused because the release passed the lock on, followed by the message that the caller
--          has to publish, if there is one (see lib/queue.lua)

local l = {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], waiters = KEYS[4]}
local withdrawn, since = KEYS[5], KEYS[6]
local held_owner, held_request = ARGV[1], ARGV[2]

-- include: asker, enter, pass

-- Handle the usual case, in which another request waits, before other functions are defined.
local asker, counted, quarantine = read_asker(3)
local found = redis.call('MGET', l.lock, l.fence, withdrawn)
l.remembered = found[2]
local released, next_holder = 1, nil
if found[1] == held_owner and found[2] and not found[3] and not since then
  l.first = redis.pcall('ZRANGE', l.queue, '0', '0')[1]
  next_holder = l.first and l.first ~= asker.request and pass_at_once(l, held_request, counted)
  local reply = next_holder and wait_at_once(l, asker, next_holder)
  if reply then return {released, unpack(reply)} end
end

-- include: fence, value, expand, quarantine, recall, queue, handover, release, join

l.kept = kept_until(l.remembered)
if not next_holder then
  released, next_holder = release(l, read_lock(l, found[1]), held_owner, held_request, 0, asker.request, counted)
end
local left = since and quarantine_left(since, quarantine) or 0
if left > 0 then return {released, 4, left} end
if next_holder and not found[3] then
  join_queue(l, asker)
  local reply = {released, unpack(refuse(l, next_holder))}
  reply[7] = unsent[1]
  return reply
end

-- include: grant, prolong, acquire

found = redis.call('MGET', l.lock, l.fence, withdrawn)
l.remembered = found[2]
local from = released == 1 and held_request or '-'
return {released, unpack(acquire(l, asker, found, from, counted))}
