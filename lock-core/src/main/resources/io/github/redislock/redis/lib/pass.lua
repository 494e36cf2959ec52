-- Hands a contended lock over in the usual case: the first waiter is alive, has asked only once, does not poll, can be
-- reached, and wants the lock for itself only. In any other case, nothing changes.
--
-- When a script runs, Redis first creates every function that the script defines, which takes longer than a hand-over.
-- So this is not a function, and comes before others are defined. It does the same as hand_over.
--
-- uses: lock, queue, value (of the lock; false if it is not to be released now), owner, request (both of the holder),
--       asking (entry of the request that asks for the lock, or nil), counted (see hand_over)
-- defines: given, the new value of the lock, and claim, its time to live in ms, if the lock was handed over; waits,
--          whether a request may wait; now, the server's microseconds, if they were read

local given, claim, now
local waits = true
local block, token
if value and string.sub(value, 1, #owner) == owner then
  block, token = string.match(value, '^\t(%d+)\t(%d+)\t', #owner + 1)
end
if block then
  local first = redis.pcall('ZPOPMIN', queue)
  local entry = first[1]
  -- This Redis user may not be allowed to run ZPOPMIN, or the key may have another type.
  waits = entry or first.err
  if entry then
    local time = redis.call('TIME')
    now = time[1] * 1000000 + time[2]
    local waiter, wants, channel, next_owner
    waiter, claim, wants, channel, next_owner = string.match(entry, '^(%S+) ([1-9]%d*) (%d+) (%S+) (.*)$')
    token = math.max(now, token + block)
    -- Compare with SILENCE_LIMIT and FENCE_BEYOND. The score has a fraction if the waiter polls, or has asked again.
    if waiter and entry ~= asking and now - first[2] <= 3000000 and token + wants - now < 10000
        and string.sub(next_owner, -#waiter - 1) == '/' .. waiter and not string.find(first[2], '.', 1, true) then
      local digits = string.format('%.0f', token)
      local received = redis.pcall('PUBLISH', channel, waiter .. ' - ' .. digits)
      if type(received) == 'number' and (received > 0 or not counted) then
        given = next_owner .. '\t' .. wants .. '\t' .. digits .. '\t' .. request
        redis.call('SET', lock, given, 'PX', claim)
      end
    end
    if not given then
      redis.call('ZADD', queue, first[2], entry)
      -- A queue that was empty has lost its expiry. Another queue must not outlive the fence.
      if redis.call('ZCARD', queue) == 1 then redis.call('PEXPIRE', queue, '4000') end
    end
  end
end
