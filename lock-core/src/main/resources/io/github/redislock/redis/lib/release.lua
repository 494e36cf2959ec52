-- Releases a lock if the owner still holds it: passes it on to the next waiter, or frees it.
--
-- Commands that Redis refuses when its memory is full come only after one that it accepts, see hand_over.

local function delete_lock(l)
  redis.call('DEL', l.lock)
  -- Use MGET, which ignores a fence of another type, because the lock must still be released.
  end_fence(l, redis.call('MGET', l.fence)[1], 0)
end

-- present: value of the lock key
-- owner, request: the owner token of the holder, and the request that was granted to it
-- keep: ms for which the lock stays locked; 0 releases it now
-- asking: request of the same instance, which acquires it if no other can be reached, or nil
-- counted: whether PUBLISH returns the number of all receivers
-- returns: 1 or 0: see the script release
--          and the next holder, if there is one: see hand_over
local function release(l, present, owner, request, keep, asking, counted)
  if present == owner then
    if keep > 0 then
      redis.call('PEXPIRE', l.lock, keep)
      end_fence(l, redis.call('MGET', l.fence)[1], keep)
      return 1
    end
    local next_holder, given = hand_over(l, request, asking, counted)
    if not given then delete_lock(l) end
    return 1, next_holder
  end

  -- An earlier copy of this release may have released it.
  local _, _, previous, last_owner = recall(redis.call('GET', l.fence))
  if previous == request then return 1 end
  return not present and last_owner == owner and 1 or 0
end
