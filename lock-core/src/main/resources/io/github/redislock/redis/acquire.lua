-- Acquires a lock if it is free and the asker is next, or if the asker already holds it. If another owner is in the
-- way, an asker that waits joins the queue, or keeps its place in it.
--
-- KEYS: lock, fence, queue, waiters, withdrawn (cancel:<request>), since (only with a quarantine)
-- ARGV: the asker's arguments (see lib/asker.lua)
-- returns: {1, token}                              granted
--          {0, holder, pttl, token or 0, waiters}  held by another owner: its owner token, or the value of the lock
--                                                  (see lib/hold.lua), which has the token; pttl is -1 if the lock
--                                                  never expires, and less than -1 if it is free but reserved
--                                                  for that owner for -pttl ms
--          {2}                                     this request was withdrawn, or has released the lock already
--          {3}                                     the key is not a lock: another program has written it, without
--                                                  an expiry
--          {4, ms}                                 Redis grants no lock for this time: see lib/quarantine.lua

local lock, fence, queue, waiters = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local withdrawn, since = KEYS[5], KEYS[6]
local entry, asked_at = ARGV[1], ARGV[3]

-- Handle the usual case under contention, in which another owner was handed the lock, before functions are defined.
local found = redis.call('MGET', lock, fence, withdrawn)
local value, remembered, now = found[1], found[2], nil
local tab = value and not found[3] and not since and string.find(value, '\t', 1, true)
if tab and string.find(value, '^\t%d+\t%d+\t%S+$', tab) and string.sub(value, 1, tab - 1) ~= string.sub(entry, 1 - tab)
    and string.find(value, '/', 1, true) then
-- include: wait
  if waiting then return {0, value, redis.call('PTTL', lock), 0, waiting} end
end

-- include: entry, asker, fence, quarantine, hold

local asker, counted, quarantine = read_asker(1)
local left = since and quarantine_left(since, quarantine) or 0
if left > 0 then return {4, left} end

-- Handle the usual case without contention, in which the lock is free and no request waits.
local l = {lock = lock, fence = fence, queue = queue, waiters = waiters, remembered = remembered}
if not found[1] and not found[3] and released_by(l) ~= asker.request and redis.call('EXISTS', l.queue) == 0 then
  return grant(l, asker, next_token(l))
end

-- include: prolong, queue, join, handover, acquire

return acquire(l, asker, found, counted)
