-- Yields a lock to the next request and asks for it again: a release and an acquisition in one step. An asker that
-- waits joins the end of the queue. If no other request that can be reached waits, the asker gets the lock at once.
--
-- KEYS: lock, fence, queue, waiters, withdrawn (cancel:<request>), since (only with a quarantine)
-- ARGV: owner, request (both of the current holder), the asker's arguments (see lib/asker.lua)
-- returns: {1 or 0 like a release, then the result of an acquisition}
--          if the asker was refused because the release passed the lock on, followed by the message that the caller
--          has to publish, if there is one (see lib/queue.lua)

local lock, fence, queue, waiters = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local withdrawn, since = KEYS[5], KEYS[6]
local owner, request, entry, asked_at, counted = ARGV[1], ARGV[2], ARGV[3], ARGV[5], ARGV[6] == '1'

-- Handle the usual case, in which another request waits, before other functions are defined.
local found = redis.call('MGET', lock, fence, withdrawn)
local value, remembered, asking = not found[3] and not since and found[1], found[2], entry
-- include: pass
local released, next_holder = 1, nil
if given then
-- include: wait
  if waiting then return {released, 0, given, tonumber(claim), 0, waiting} end
  next_holder = {owner = given, pttl = tonumber(claim), token = 0}
end

-- include: entry, asker, fence, quarantine, hold, prolong, queue, join, handover, release

local l = {lock = lock, fence = fence, queue = queue, waiters = waiters, remembered = remembered}
local asker, _, quarantine = read_asker(3)
if not next_holder then
  released, next_holder = release(l, read_hold(l, found[1]), owner, request, 0, asker.entry, counted)
end
local left = since and quarantine_left(since, quarantine) or 0
if left > 0 then return {released, 4, left} end
if next_holder and not found[3] then
  join_queue(l, asker, next_holder.pttl > 0 and next_holder or nil)
  local reply = {released, unpack(refuse(l, next_holder))}
  reply[7] = unsent[1]
  return reply
end

-- include: acquire

found = redis.call('MGET', l.lock, l.fence, withdrawn)
l.remembered = found[2]
return {released, unpack(acquire(l, asker, found, counted))}
