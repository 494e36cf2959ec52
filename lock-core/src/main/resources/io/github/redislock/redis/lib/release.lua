-- Releases a lock if it is still its owner's: hands it over to who waits, or frees it.
--
-- Uses no command that Redis refuses when its memory is full, unless after one that it does not.
--
-- owner, request: of the holder; the request is the one that was granted
-- keep: ms that the lock stays closed all the same; 0 lets it go now
-- asker: request of the same instance that takes it if nobody else can be reached, or nil
-- counted: whether PUBLISH tells the number of all receivers
-- returns: 1 it was the owner's; or has been, and was taken from it by nobody
--          0 it is not the owner's

local function release(owner, request, keep, asker, counted)
  local present = redis.call('GET', lock)
  if present == owner then
    if keep > 0 then
      redis.call('PEXPIRE', lock, keep)
    elseif not hand_over(request, asker, counted) then
      redis.call('DEL', lock)
    end
    return 1
  end

  -- Was it released before, by a request that was sent twice?
  local _, _, previous, last_owner = recall()
  if previous == request then return 1 end
  return not present and last_owner == owner and 1 or 0
end
