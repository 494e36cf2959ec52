-- Releases a lock if it is still its owner's: hands it over to who waits, or frees it.
--
-- Uses no command that Redis refuses when its memory is full, unless after one that it does not.
--
-- keys: lock, fence, queue, waiters
-- holder: owner, request (the one that was granted)
-- keep: ms that the lock stays closed all the same; 0 lets it go now
-- asker: request of the same instance that takes it if nobody else can be reached, or nil
-- returns: 1 it was the owner's; or has been, and went to nobody else by force
--          0 it is not the owner's

local function release(keys, holder, keep, asker, counted)
  local present = redis.call('GET', keys.lock)
  if present == holder.owner then
    if keep > 0 then
      redis.call('PEXPIRE', keys.lock, keep)
    elseif not hand_over(keys, holder.request, asker, counted) then
      redis.call('DEL', keys.lock)
    end
    return 1
  end

  -- Was it released before, by a request that was sent twice?
  local fence = read_fence(redis.call('GET', keys.fence))
  if fence.previous == holder.request then return 1 end
  return not present and fence.owner == holder.owner and 1 or 0
end
