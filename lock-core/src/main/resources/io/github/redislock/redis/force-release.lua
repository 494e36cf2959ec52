-- Takes a lock away from its holder, or from all owners that share it, and passes it on to the next waiter.
--
-- Removes the holder from the fence, so that the holder's release finds the lock lost. Sends all instances a message
-- about the forced release, because it is unknown which of them holds the lock.
--
-- KEYS: lock, fence, queue, waiters, places, grants
-- ARGV: counted (1: PUBLISH returns the number of all receivers), owner ("": any holder; else only this
--       one), channel of all instances, name of the lock, alone (1: do nothing if the
--       owner shares the lock with others)
-- returns: {1} the lock was taken from its holders; followed by the messages that the caller has to publish (see
--          lib/queue.lua)
--          {0} nothing was done: the lock was free, not held by that owner, or shared with others (alone)
--          {2} the key is not a lock and was not changed

local l = {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], waiters = KEYS[4], places = KEYS[5], grants = KEYS[6]}
local counted, owner, news, name, alone = ARGV[1] == '1', ARGV[2], ARGV[3], ARGV[4], ARGV[5] == '1'

-- include: entry, fence, hold, queue, handover

local function is_of_owner(hold)
  if owner == '' then return true end
  if not hold.shared then return hold.owner == owner end
  local now = math.floor(server_micros() / 1000)
  local ends = redis.call('ZSCORE', l.places, owner)
  if not ends or tonumber(ends) <= now then return false end
  return not alone or redis.call('ZCOUNT', l.places, '(' .. string.format('%.0f', now), '+inf') == 1
end

-- GET fails for a key of another type, which is not a lock and must not be deleted.
local hold = read_hold(l)
if not hold then
  -- Changes nothing, but fails if Redis accepts no writes, which the health check relies on.
  redis.call('SET', l.lock, '', 'XX')
  return {0}
end
if not with_rest(l, hold) then return {2} end
if not is_of_owner(hold) then return {0} end
-- Publish first, so that the holder is notified before the next holder. If this Redis user may not publish, the
-- holder notices the loss at its next renewal or its release.
publish(news, 'forced ' .. name)
local _, given = hand_over(l, hold, '-', nil, counted)
redis.call('DEL', l.places, l.grants)
if not given then
  redis.call('DEL', l.lock)
  -- The lock was not handed over, so the fence has to outlive it without the holder. The queue may keep it longer.
  local record = read_record(l)
  if hold.token <= record.token then hold.token, hold.block = record.token, record.block end
  hold.request, hold.previous, hold.owner = '-', '-', ''
  if hold.token > 0 then remember(l, hold, AFTER_RELEASE) end
end
return {1, unpack(unsent)}
