-- The record of a lock's last grant, from which the next grant gets a greater fencing token. A lock whose value says
-- all about its holder has none at first.
--
-- The fence key holds "<token> <block> <kept> <request> <previous> <owner>": the first of <block> fencing
-- tokens that the grant reserved; the time (server's ms) until which there is data that the script take does
-- not read, such as a queue or the mark of a withdrawn request; the request that was granted, after a "!" if it has
-- released the lock; the request that handed the lock over to it ("-": none); and the owner token. The fence outlives
-- the lock for a while, so that a second copy of a release gets the same reply. It does not expire before <kept>, or
-- before the server's clock has passed its tokens. While there is a fence, tokens increase even if that clock is set
-- back. The fence of a lock that never expires does not expire either, because it shows that the lock is one of ours.
--
-- A table l holds the keys of a lock: l.lock, l.fence and so on. Once they were read, l.remembered is the value of the
-- fence, and l.kept is <kept>.

local FENCE_MARGIN = 2000   -- ms, at least, by which the fence outlives a lock that expires
local AFTER_RELEASE = 500   -- ms longer by which it outlives a lock that is released
local FENCE_BEYOND = 10     -- ms by which tokens may run ahead of the clock without a fence

-- The clock is read only once, so that it does not advance while a script runs.
local micros
local function server_micros()
  if not micros then
    local time = redis.call('TIME')
    micros = time[1] * 1000000 + time[2]
  end
  return micros
end

-- returns: the fields of the fence, and whether the request has released the lock; token is 0 if there is no fence
local function read_record(l)
  -- MGET ignores a key of another type.
  if l.remembered == nil then l.remembered = redis.call('MGET', l.fence)[1] end
  local token, block, kept, mark, request, previous, owner = string.match(l.remembered or '',
      '^(%d+) (%d+) (%d+) (!?)(%S*) (%S*) (.*)$')
  return {token = tonumber(token or 0), block = block or 0, kept = tonumber(kept or 0), released = mark == '!',
      request = request, previous = previous, owner = owner}
end

-- hold: the present holder, or nil
-- returns: the server's clock, or one more than the last token that was reserved, whichever is greater
local function next_token(l, hold)
  local record = read_record(l)
  return math.max(server_micros(), record.token + record.block, hold and hold.token + (hold.block or 0) or 0)
end

-- Blocks of tokens may run ahead of the clock.
--
-- returns: ms until the clock has passed them
local function ahead_of_clock(token, block)
  return math.max(0, math.floor((token + block - server_micros()) / 1000))
end

-- returns: ms for which the fence is kept; 0 or less if it is not
local function kept_for(l)
  l.kept = l.kept or read_record(l).kept
  return math.ceil(l.kept - server_micros() / 1000)
end

-- Keeps the fence, or creates one, as long as there is data that the script take does not read.
--
-- least: ms for which it has to be kept; if it already is, nothing changes
-- ms: how long it is kept otherwise
local function keep_fence(l, least, ms)
  if kept_for(l) >= least then return end
  l.kept = math.floor(server_micros() / 1000) + ms
  local kept = string.format('%%1 %.0f', l.kept)
  l.remembered = string.gsub(l.remembered or '0 0 0 - - ', '^(%d+ %d+) %d+', kept)
  local left = redis.call('PTTL', l.fence)
  redis.call('SET', l.fence, l.remembered, 'KEEPTTL')
  if left ~= -1 and left < ms then redis.call('PEXPIRE', l.fence, ms) end
end

-- Records a grant. Tokens are exact up to 2^53, which the microseconds reach in the year 2255.
--
-- hold: token, block, request, previous and owner
-- ttl: of the lock, in ms; 0: it never expires
-- released: "!" if the request has released the lock, so that no late copy of the request acquires it again, and a
--           second copy of the release gets the same reply; or nil
local function remember(l, hold, ttl, released)
  local kept = kept_for(l)
  l.remembered = string.format('%.0f %s %.0f %s%s %s %s', hold.token, hold.block, l.kept, released or '', hold.request,
      hold.previous, hold.owner)
  if ttl == 0 then
    redis.call('SET', l.fence, l.remembered)
    return
  end
  redis.call('SET', l.fence, l.remembered, 'PX',
      math.max(ttl + FENCE_MARGIN + ahead_of_clock(hold.token, hold.block), kept))
end

-- returns: the request that released the last grant, if recorded; else "-"
local function released_by(l)
  local record = read_record(l)
  return record.released and record.request or '-'
end

-- Lets the record of a released lock expire as soon as it may.
--
-- keep: ms for which the lock stays locked
local function end_fence(l, keep)
  local record = read_record(l)
  redis.call('PEXPIRE', l.fence,
      math.max(keep + FENCE_MARGIN + AFTER_RELEASE + ahead_of_clock(record.token, record.block), kept_for(l)))
end
