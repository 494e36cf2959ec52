-- Releases a lock if the owner still holds it: passes it on to the next waiter, or frees it.
--
-- Commands that Redis refuses when its memory is full come only after one that it accepts, see hand_over.

-- hold: the holder, or nil if owners shared the lock
local function free_lock(l, hold)
  redis.call('DEL', l.lock)
  if hold and hold.known then remember(l, hold, AFTER_RELEASE, '!') else end_fence(l, 0) end
end

-- hold: the present holder, or nil
-- owner, request: the owner token of the holder, and the request that was granted to it
-- keep: ms for which the lock stays locked; 0 releases it now
-- asking: entry of a request of the same instance, which acquires it if no other can be reached, or nil
-- counted: whether PUBLISH returns the number of all receivers
-- returns: 1 or 0: see the script release
--          and the next holder, if there is one: see hand_over
local function release(l, hold, owner, request, keep, asking, counted)
  if hold and hold.owner == owner then
    if keep > 0 then
      redis.call('PEXPIRE', l.lock, keep)
      -- A second copy of this release may arrive after that time.
      if hold.known then remember(l, hold, keep + AFTER_RELEASE) end
      return 1
    end
    local next_holder, given = hand_over(l, hold, request, asking, counted)
    if not given then free_lock(l, hold) end
    return 1, next_holder
  end

  -- An earlier copy of this release may have released it.
  if hold then return hold.previous == request and 1 or 0 end
  local record = read_record(l)
  return (record.owner == owner or record.previous == request) and 1 or 0
end
