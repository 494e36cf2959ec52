-- Hands a contended lock over in the usual case.
--
-- When a script runs, Redis first creates every function that the script defines, which takes longer than a hand-over.
-- So this function needs no other, and is called before others are defined. It does the same as hand_over.

-- Hands the lock over to the first waiter, if that waiter is alive, can be reached, and wants the lock for itself only.
--
-- l.remembered: the fence, which exists
-- l.first: the first waiter
-- from, counted: like those of hand_over
-- returns: the next holder: see hand_over; nil in any other case, in which nothing changes
local function pass_at_once(l, from, counted)
  local text = redis.call('HGET', l.waiters, l.first) or ''
  local seen, asked_at, claim, wants, channel, owner = string.match(text,
      '^(%d+) (%S+) ([1-9]%d*) (%d+) ([^-]%S*) (.*)$')
  local token, block, kept = string.match(l.remembered, '^(%d+) (%d+) (%d+) ')
  l.time = redis.call('TIME')
  local now = l.time[1] * 1000000 + l.time[2]
  -- Compare with SILENCE_LIMIT.
  if not seen or not token or now - seen > 3000000 then return nil end

  token = math.max(now, token + block)
  local digits = string.format('%.0f', token)
  redis.call('HDEL', l.waiters, l.first)
  local received = redis.pcall('PUBLISH', channel, l.first .. ' ' .. asked_at .. ' ' .. digits)
  if type(received) ~= 'number' or counted and received == 0 then
    redis.call('HSET', l.waiters, l.first, text)
    return nil
  end
  redis.call('ZREM', l.queue, l.first)
  redis.call('SET', l.lock, owner, 'PX', claim)
  l.remembered = digits .. ' ' .. wants .. ' ' .. kept .. ' ' .. l.first .. ' ' .. from .. ' ' .. owner
  -- Add FENCE_MARGIN and the result of ahead_of_clock.
  local ttl = claim + 2000 + math.floor((token + wants - now) / 1000)
  redis.call('SET', l.fence, l.remembered, 'PX', math.max(ttl, math.ceil(kept - now / 1000)))
  return {owner = owner, pttl = tonumber(claim), token = token}
end
