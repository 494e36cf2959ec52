-- Gives a lock to the asker if it is free and the asker's turn, or already the asker's; otherwise
-- the asker joins the queue or keeps its place in it.
--
-- Asked twice it answers twice the same, so a request may be sent again when its answer was
-- lost. Never shortens a lease.
--
-- holder, remembered, withdrawn: values of the keys lock, fence, cancel
-- from: request that has just let go of the lock, or "-"
-- returns: as the script acquire

local function grant_again(remembered)
  -- Another request of this owner may have been the one whose turn it was.
  if inbox ~= '' then leave_queue(request) end
  prolong_lock()
  local token, _, _, last_owner = recall(remembered)
  if last_owner == owner then
    prolong_fence(ttl)
  else
    token = next_token(remembered)
    remember(token, block, request, '-', owner, ttl)
  end
  return {1, token}
end

local function acquire(holder, remembered, withdrawn, from)
  if withdrawn then return {2} end
  if holder == owner then return grant_again(remembered) end
  if holder then
    local token, _, _, last_owner = recall(remembered)
    local pttl = redis.call('PTTL', lock)
    if is_foreign(holder, pttl, last_owner) then return {3} end
    join_queue()
    return refuse(holder, pttl, token_of(holder, token, last_owner))
  end

  join_queue()
  -- GET, unlike MGET, fails for a key of another type: it is not ours to overwrite.
  redis.call('GET', lock)
  -- Nobody overtakes who waits already.
  local chosen, chosen_claim, token = hand_over(from, request, counted)
  if chosen then return refuse(chosen, chosen_claim, token) end
  leave_queue(request)
  return grant(next_token(remembered), from ~= '-' and from or released_by(remembered))
end
