-- Releases a lock if it is still its owner's: hands it over to the next one that waits, or frees it.
--
-- Uses no command that Redis refuses when its memory is full, unless after one that it does not.

local function delete_lock(l)
  redis.call('DEL', l.lock)
  -- MGET reads past a fence that was overwritten: the lock is to be released all the same.
  end_fence(l, redis.call('MGET', l.fence)[1], 0)
end

-- present: value of the lock key
-- owner, request: of the holder; the request is the one that was granted
-- keep: ms that the lock stays closed all the same; 0 releases it now
-- asking: request of the same instance that takes it if no other can be reached, or nil
-- counted: whether PUBLISH tells the number of all receivers
-- returns: 1 it was the owner's; or has been, and was not taken from it
--          0 it is not the owner's
--          and where it is the turn of another owner, whose: as of hand_over
local function release(l, present, owner, request, keep, asking, counted)
  if present == owner then
    if keep > 0 then
      redis.call('PEXPIRE', l.lock, keep)
      end_fence(l, redis.call('MGET', l.fence)[1], keep)
      return 1
    end
    local next_owner, next_claim, token, given = hand_over(l, request, asking, counted)
    if not given then delete_lock(l) end
    return 1, next_owner, next_claim, token
  end

  -- Was it released before, by a request that was sent twice?
  local _, _, previous, last_owner = recall(redis.call('GET', l.fence))
  if previous == request then return 1 end
  return not present and last_owner == owner and 1 or 0
end
