-- Reads the last grant from the fence.

-- returns: token, request, previous, owner; or nil
local function recall(remembered)
  local token, request, previous, owner = string.match(
      remembered or '', '^(%d+) %d+ %d+ (%S*) (%S*) (.*)$')
  return tonumber(token), request, previous, owner
end

-- Whether a key without expiry was set by another program. Such a key is not a lock, and no request waits for it.
local function is_foreign(holder, pttl, last_owner)
  return pttl == -1 and last_owner ~= holder
end

-- Records that the last grant ended with its release, for an asker that acquires the lock without a hand-over. The
-- request is recorded as its own previous one.
local function note_release(l, remembered, request)
  local _, last_request = recall(remembered)
  if last_request ~= request then return end
  redis.call('SET', l.fence, (string.gsub(remembered, '^(%d+ %d+ %d+ (%S+)) %S+', '%1 %2')), 'KEEPTTL')
end

-- returns: the request that released the last grant, if recorded; else "-"
local function released_by(remembered)
  local _, request, previous = recall(remembered)
  return request and request == previous and request or '-'
end
