-- Gives a lock to the asker if it is free and the asker is next, or if the asker already holds it. If another owner is
-- in the way, an asker that waits joins the queue, or keeps its place in it.
--
-- An asker that holds the lock gets it again, so a request may be sent again if its reply was lost. This never
-- shortens a lease, but gives one to a lock that never expires if the asker wants one.

local function grant_again(l, asker, hold)
  -- Leave the queue, because the lock may have been granted to another request of this owner.
  if asker.asked_at ~= '' then remove_waiter(l, asker.entry, asker.request) end
  prolong_lock(l, asker.ttl)
  if hold.recorded then prolong_fence(l, asker.ttl) end
  if not hold.known then
    hold.token, hold.block, hold.request = next_token(l), asker.wants, asker.request
    remember(l, hold, asker.ttl)
  end
  return {1, hold.token}
end

-- found: values of the lock, its fence, and the key that marks a withdrawn request
-- counted: whether PUBLISH returns the number of all receivers
-- returns: like the script acquire
local function acquire(l, asker, found, counted)
  if found[3] or released_by(l) == asker.request then return {2} end
  local hold = read_hold(l, found[1])
  if hold and hold.owner == asker.owner then return grant_again(l, asker, hold) end
  if hold and not with_rest(l, hold) then return {3} end
  join_queue(l, asker, hold)
  if hold then return refuse(l, hold) end

  -- A request must not overtake earlier ones that can be reached.
  local next_holder = hand_over(l, nil, '-', asker.entry, counted)
  if next_holder then return refuse(l, next_holder) end
  remove_waiter(l, asker.entry, asker.request)
  return grant(l, asker, next_token(l))
end
