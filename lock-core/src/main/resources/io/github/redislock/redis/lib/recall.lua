-- Reads the last grant from the fence.

-- returns: token, request, previous, owner; or nil
local function recall(remembered)
  local token, request, previous, owner = string.match(
      remembered or '', '^(%d+) %d+ %d+ (%S*) (%S*) (.*)$')
  return tonumber(token), request, previous, owner
end

-- value: of the lock key, which exists
-- returns: {owner: value, pttl, token: 0 for another program, which has none}; nil if the key has no expiry, is not
--          shared, and the fence does not name its value: it is not a lock, and no request waits for it
local function holder_of(l, value, remembered)
  local token, _, _, last_owner = recall(remembered)
  local pttl = redis.call('PTTL', l.lock)
  if pttl == -1 and last_owner ~= value and not is_shared(value) then return nil end
  return {owner = value, pttl = pttl, token = (last_owner == value or is_shared(value)) and token or 0}
end

-- Records that the last grant ended with its release, for an asker that acquires the lock without a hand-over. The
-- request is recorded as its own previous one.
--
-- from: request that releases the lock; "-": none, so nothing is recorded
local function note_release(l, from)
  local _, last_request = recall(read_fence(l))
  if from == '-' or last_request ~= from then return end
  l.remembered = string.gsub(l.remembered, '^(%d+ %d+ %d+ (%S+)) %S+', '%1 %2')
  redis.call('SET', l.fence, l.remembered, 'KEEPTTL')
end

-- returns: the request that released the last grant, if recorded; else "-"
local function released_by(remembered)
  local _, request, previous = recall(remembered)
  return request and request == previous and request or '-'
end
