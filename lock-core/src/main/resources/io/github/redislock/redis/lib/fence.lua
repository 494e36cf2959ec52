-- The memory of a lock's last grant, which gives every grant a greater fencing token.
--
-- The fence key holds "<token> <block> <request> <previous> <owner>": the first of <block> fencing
-- tokens that the grant reserved, the request that was granted, the request that handed the lock over
-- to it ("-": none; itself: it has released the lock, and the one that takes it has to ask), and the owner
-- token. It outlives the lock, so that a release that was sent twice is answered twice the same, and it
-- never ends before the server's clock has passed its tokens. So that clock may step back as far as it
-- likes while there is a fence, and by up to AFTER_RELEASE later. Beside a lock that never expires it does
-- not expire either: it shows that the lock is one of ours.
--
-- Parts name the keys of a lock by a table: l.lock, l.fence and so on.

local FENCE_MARGIN = 2000   -- ms that the fence outlives a lock that runs out
local AFTER_RELEASE = 5000  -- ms that it outlives one that is released

-- The clock stands still while a script runs.
local micros
local function server_micros()
  if not micros then
    local time = redis.call('TIME')
    micros = time[1] * 1000000 + time[2]
  end
  return micros
end

-- The server's clock, or one more than the last token that was reserved.
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

-- A double holds every integer up to 2^53: microseconds until the year 2255.
--
-- ttl: of the lock, in ms; 0: without end
local function remember(l, token, block, request, previous, owner, ttl)
  local value = string.format('%.0f %s %s %s %s', token, block, request, previous, owner)
  if ttl == 0 then
    redis.call('SET', l.fence, value)
    return
  end
  redis.call('SET', l.fence, value, 'PX', ttl + FENCE_MARGIN + ahead_of_clock(token, block))
end

-- Lets the memory of a released lock end soon.
--
-- keep: ms that the lock stays closed all the same
local function end_fence(l, remembered, keep)
  local token, block = string.match(remembered or '', '^(%d+) (%d+)')
  local ahead = token and ahead_of_clock(token, block) or 0
  redis.call('PEXPIRE', l.fence, keep + AFTER_RELEASE + ahead)
end
