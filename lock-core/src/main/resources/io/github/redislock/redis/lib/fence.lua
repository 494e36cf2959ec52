-- The record of a lock's last grant, from which the next grant gets a greater fencing token. A lock that the script
-- take granted has none at first.
--
-- The fence key holds "<token> <block> <kept> <request> <previous> <owner>": the first of <block> fencing
-- tokens that the grant reserved; the time (server's ms) until which there is data that the script take does
-- not read, such as a queue or the mark of a withdrawn request; the request that was granted; the request that
-- handed the lock over to it ("-": none; the granted request itself: it has released the lock, and the next one
-- has to ask); and the owner token. A "-" before the granted request means that it has released the lock while
-- no request was queued. The fence outlives the lock for a while, so that a second copy of a release gets the same
-- reply. It does not expire before <kept>, or before the server's clock has passed its tokens. While there is a fence,
-- tokens increase even if that clock is set back. The fence of a lock that never expires does not expire either,
-- because it shows that the lock is one of ours.
--
-- A table l holds the keys of a lock: l.lock, l.fence and so on. Once they were read, l.remembered is the value of the
-- fence, and l.kept is <kept>.

local FENCE_MARGIN = 2000   -- ms, at least, by which the fence outlives a lock that expires
local AFTER_RELEASE = 2500  -- ms, at least, by which it outlives a lock that is released

-- The clock is read only once, so that it does not advance while a script runs.
local micros
local function server_micros()
  if not micros then
    local time = redis.call('TIME')
    micros = time[1] * 1000000 + time[2]
  end
  return micros
end

-- returns: the server's clock, or one more than the last token that was reserved, whichever is greater
local function next_token(remembered)
  local token, block = string.match(remembered or '', '^(%d+) (%d+)')
  return math.max(server_micros(), token and token + block or 0)
end

-- Blocks of tokens may run ahead of the clock.
--
-- returns: ms until the clock has passed them
local function ahead_of_clock(token, block)
  return math.max(0, math.floor((token + block - server_micros()) / 1000))
end

-- returns: the time (server's ms) until which the fence is kept; 0 if it is not
local function kept_until(remembered)
  return tonumber(string.match(remembered or '', '^%d+ %d+ (%d+) ')) or 0
end

-- returns: ms for which the fence is kept; 0 or less if it is not. MGET ignores a key of another type.
local function kept_for(l)
  l.kept = l.kept or kept_until(l.remembered or redis.call('MGET', l.fence)[1])
  return math.ceil(l.kept - server_micros() / 1000)
end

-- returns: the value of the fence, or false. GET, unlike MGET, fails for a key of another type.
local function read_fence(l)
  l.remembered = l.remembered or redis.call('GET', l.fence)
  return l.remembered
end

-- Keeps the fence, or creates one, as long as there is data that the script take does not read.
--
-- least: ms for which it has to be kept; if it already is, nothing changes
-- ms: how long it is kept otherwise
local function keep_fence(l, least, ms)
  l.kept = l.kept or kept_until(read_fence(l))
  if kept_for(l) >= least then return end
  l.kept = math.floor(server_micros() / 1000) + ms
  local kept = string.format('%%1 %.0f', l.kept)
  l.remembered = string.gsub(read_fence(l) or '0 0 0 - - ', '^(%d+ %d+) %d+', kept)
  local left = redis.call('PTTL', l.fence)
  redis.call('SET', l.fence, l.remembered, 'KEEPTTL')
  if left ~= -1 and left < ms then redis.call('PEXPIRE', l.fence, ms) end
end

-- Records a grant. Tokens are exact up to 2^53, which the microseconds reach in the year 2255.
--
-- ttl: of the lock, in ms; 0: it never expires
local function remember(l, token, block, request, previous, owner, ttl)
  local kept = kept_for(l)
  l.remembered = string.format('%.0f %s %.0f %s %s %s', token, block, l.kept, request, previous, owner)
  if ttl == 0 then
    redis.call('SET', l.fence, l.remembered)
    return
  end
  redis.call('SET', l.fence, l.remembered, 'PX', math.max(ttl + FENCE_MARGIN + ahead_of_clock(token, block), kept))
end

local function is_released(remembered, request)
  return remembered and string.find(remembered, ' -' .. request .. ' ', 1, true)
end

-- returns: ms after which the record of a released lock may end, if the lock stays locked for <keep> ms
local function rest_of_fence(l, remembered, keep)
  local token, block = string.match(remembered or '', '^(%d+) (%d+)')
  local ahead = token and ahead_of_clock(token, block) or 0
  return math.max(keep + AFTER_RELEASE + ahead, kept_for(l))
end

-- Lets the record of a released lock expire as soon as it may.
local function end_fence(l, remembered, keep)
  redis.call('PEXPIRE', l.fence, rest_of_fence(l, remembered, keep))
end

-- Like end_fence, but also records that the request has released the lock, so that no late copy of the request
-- acquires it again.
local function note_released(l, remembered)
  if not remembered then return end
  local released = string.gsub(remembered, '^%d+ %d+ %d+ ', '%0-')
  redis.call('SET', l.fence, released, 'PX', rest_of_fence(l, remembered, 0))
end
