-- Gives a lock to an asker if it is free and the asker's turn, or already the asker's.
--
-- Asked twice it answers twice the same, so a request may be sent again when its answer was
-- lost. Never shortens a lease.
--
-- keys: lock, fence, queue, waiters, cancel
-- asker: owner, request, ttl (ms; 0: never expires), block, asked_at, claim, inbox ("": does not
--        wait), counted
-- returns: {1, token}                              granted
--          {0, holder, pttl, token or 0, waiters}  held by somebody else; pttl is -1 without expiry
--          {2}                                     this request was withdrawn

local function refuse(keys, holder, pttl, token)
  return {0, holder, pttl, token, redis.call('ZCARD', keys.queue)}
end

local function grant(keys, asker, last)
  local token = math.max(server_micros(), last + 1)
  write_fence(keys.fence, token, asker.block, asker.request, '-', asker.owner, asker.ttl)
  return {1, token}
end

local function grant_again(keys, asker, fence)
  local left = redis.call('PTTL', keys.lock)
  if asker.ttl == 0 then
    redis.call('PERSIST', keys.lock)
  elseif left < 0 or left < asker.ttl then
    redis.call('PEXPIRE', keys.lock, asker.ttl)
  end
  if fence.owner ~= asker.owner then return grant(keys, asker, fence.last) end
  local ttl = fence_ttl(asker.ttl)
  if redis.call('PTTL', keys.fence) < ttl then redis.call('PEXPIRE', keys.fence, ttl) end
  return {1, fence.token}
end

local function acquire(keys, asker)
  local found = redis.call('MGET', keys.lock, keys.fence, keys.cancel)
  local holder, fence = found[1], read_fence(found[2])
  if found[3] then return {2} end
  if holder == asker.owner then return grant_again(keys, asker, fence) end

  local waits = asker.inbox ~= ''
  if holder then
    if waits then join_queue(keys, asker) end
    local token = fence.owner == holder and fence.token or 0
    return refuse(keys, holder, redis.call('PTTL', keys.lock), token)
  end

  -- MGET does not see a key of another type: it is not ours to overwrite.
  local expiry = asker.ttl > 0 and {'PX', asker.ttl} or {}
  if not redis.call('SET', keys.lock, asker.owner, 'NX', unpack(expiry)) then
    return {err = 'WRONGTYPE'}
  end
  local first = redis.call('ZRANGE', keys.queue, 0, 0)[1]
  if first and first ~= asker.request then
    -- Nobody overtakes who waits already.
    if waits then join_queue(keys, asker) end
    local chosen, claim, token = hand_over(keys, '-', asker.request, asker.counted)
    if chosen then return refuse(keys, chosen, claim, token) end
  end
  if first then leave_queue(keys, asker.request) end
  return grant(keys, asker, fence.last)
end
