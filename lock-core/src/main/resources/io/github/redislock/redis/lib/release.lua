-- Releases a lock if it is still its owner's: hands it over to who waits, or frees it.
--
-- Uses no command that Redis refuses when its memory is full, unless after one that it does not.
--
-- present: value of the lock key
-- owner, request: of the holder; the request is the one that was granted
-- keep: ms that the lock stays closed all the same; 0 lets it go now
-- asker: request of the same instance that takes it if nobody else can be reached, or nil
-- counted: whether PUBLISH tells the number of all receivers
-- returns: 1 it was the owner's; or has been, and was taken from it by nobody
--          0 it is not the owner's
--          and where somebody's turn has come, whose: as of hand_over

local function release(present, owner, request, keep, asker, counted)
  if present == owner then
    -- MGET reads past a fence that somebody has spoilt: the lock is to be let go all the same.
    if keep > 0 then
      redis.call('PEXPIRE', lock, keep)
      end_fence(redis.call('MGET', fence)[1], keep)
      return 1
    end
    local next_owner, next_claim, token, given = hand_over(request, asker, counted)
    if not given then
      redis.call('DEL', lock)
      end_fence(redis.call('MGET', fence)[1], 0)
    end
    return 1, next_owner, next_claim, token
  end

  -- Was it released before, by a request that was sent twice?
  local _, _, previous, last_owner = recall(redis.call('GET', fence))
  if previous == request then return 1 end
  return not present and last_owner == owner and 1 or 0
end
