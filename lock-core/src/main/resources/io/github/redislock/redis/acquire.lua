-- Acquires a lock if it is free and the asker is next, or if the asker already holds it. If another owner is in the
-- way, an asker that waits joins the queue, or keeps its place in it.
--
-- KEYS: lock, fence, queue, waiters, withdrawn (cancel:<request>), since (only with a quarantine)
-- ARGV: the asker's arguments (see lib/asker.lua)
-- returns: {1, token}                              granted
--          {0, holder, pttl, token or 0, waiters}  held by another owner; pttl is -1 if the lock never
--                                                  expires, and less than -1 if it is free but reserved
--                                                  for that owner for -pttl ms
--          {2}                                     this request was withdrawn, or has released the lock already
--          {3}                                     the key is not a lock: it has no expiry, is not shared, and
--                                                  the fence does not name its value as the holder
--          {4, ms}                                 Redis grants no lock for this time: see lib/quarantine.lua

local l = {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], waiters = KEYS[4]}
local withdrawn, since = KEYS[5], KEYS[6]

-- include: asker, enter

-- Handle the usual case under contention, in which the fence names the holder, before other functions are defined.
local asker, counted, quarantine = read_asker(1)
local found = redis.call('MGET', l.lock, l.fence, withdrawn)
l.remembered = found[2]
if found[1] and found[2] and found[1] ~= asker.owner and not found[3] and not since then
  local token, last_owner = string.match(found[2], '^(%d+) %d+ %d+ %S* %S* (.*)$')
  local reply = found[1] == last_owner
      and wait_at_once(l, asker, {owner = last_owner, pttl = redis.call('PTTL', l.lock), token = tonumber(token)})
  if reply then return reply end
end

-- include: fence, quarantine, grant

local left = since and quarantine_left(since, quarantine) or 0
if left > 0 then return {4, left} end

-- Handle the usual case without contention, in which the lock is free and no request waits.
l.kept = kept_until(found[2])
if is_released(found[2], asker.request) then return {2} end
if not found[1] and not found[3] and redis.call('EXISTS', l.queue) == 0 then
  return grant(l, asker, next_token(found[2]), '-')
end

-- include: value, expand, recall, prolong, queue, handover, join, acquire

return acquire(l, asker, found, '-', counted)
