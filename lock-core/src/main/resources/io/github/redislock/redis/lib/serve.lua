-- Lets those in who wait for a place in a lock that several share.

local MOST_AT_ONCE = 100  -- whom one script lets in, while all others wait for Redis

-- Gives places to those who wait for one, from the head of the queue on, as long as there is room for
-- them. Whoever cannot be reached keeps its place in the queue, and finds it with its next question.
--
-- After many of them, the next one is told to ask, which goes on from there.
--
-- count: how many share the lock
-- asker: request that takes a place itself when its turn comes, or nil; need not be in the queue
-- returns: how many share the lock now, and whether nobody is left who comes before the asker
local function serve(count, asker, counted)
  local position, served = 0, 0
  while true do
    local waiter = redis.call('ZRANGE', queue, position, position)[1]
    if not waiter or waiter == asker then return count, true end
    if served == MOST_AT_ONCE then
      tell_next()
      return count, false
    end
    if position == 0 then redis.call('PEXPIRE', queue, QUEUE_TTL) end
    local seen, asked_at, claim, block, inbox, owner = string.match(
        redis.call('HGET', waiters, waiter) or '', '^(%d+) (%S+) (%d+) (%S+) (%S+) (.*)$')
    if not seen or server_micros() - seen > SILENCE_LIMIT then
      leave_queue(waiter)
    else
      local room = room_of(block)
      if not room or count >= room then return count, false end
      local heard = 1
      if inbox ~= '-' then
        local token = next_token(redis.call('GET', fence))
        heard = redis.pcall('PUBLISH', inbox, string.format('%s %s %.0f', waiter, asked_at, token))
      end
      -- Where this user may not publish, the waiter finds it with its next question.
      if type(heard) ~= 'number' or heard > 0 or not counted then
        leave_queue(waiter)
        grant_place(owner, waiter, tonumber(claim))
        served = served + 1
        count = redis.call('ZCARD', places)
      else
        position = position + 1
      end
    end
  end
end

-- Lets in who waits, whichever way, when somebody has left the lock or the queue.
--
-- count: how many share the lock still
-- from: request that lets go of it, or "-"
local function settle(count, from, counted)
  if serve(count, nil, counted) > 0 then
    if changed then note_places() end
    return
  end
  local _, _, _, given = hand_over(from, nil, counted)
  if not given then
    redis.call('DEL', lock)
    end_fence(redis.call('MGET', fence)[1], 0)
  end
end

-- Leaves a place.
--
-- keep: ms that it stays taken all the same; 0 lets it go now
local function leave_place(owner, request, keep, counted)
  if keep > 0 then
    renew_place(owner, keep)
    return
  end
  redis.call('ZREM', places, owner)
  redis.call('HDEL', grants, owner)
  changed = true
  settle(redis.call('ZCARD', places), request, counted)
end
