-- Gives a lock to the asker if it is free and the asker is next, or if the asker already holds it. If another owner is
-- in the way, an asker that waits joins the queue, or keeps its place in it.
--
-- An asker that holds the lock gets it again, so a request may be sent again if its reply was lost. This never
-- shortens a lease, but gives one to a lock that never expires if the asker wants one.

local function grant_again(l, asker, remembered)
  -- Leave the queue, because the lock may have been granted to another request of this owner.
  if asker.inbox ~= '' then remove_waiter(l, asker.request) end
  prolong_lock(l, asker.ttl)
  local token, _, _, last_owner = recall(remembered)
  if last_owner == asker.owner then
    prolong_fence(l, asker.ttl)
  else
    token = next_token(remembered)
    remember(l, token, asker.wants, asker.request, '-', asker.owner, asker.ttl)
  end
  return {1, token}
end

-- found: values of the lock, its fence, and the key that marks a withdrawn request
-- from: request that has just released the lock, or "-"
-- counted: whether PUBLISH returns the number of all receivers
-- returns: like the script acquire
local function acquire(l, asker, found, from, counted)
  if found[3] then return {2} end
  local owner = expand(l, found[1])
  if owner == asker.owner then return grant_again(l, asker, l.remembered) end
  if owner then
    local holder = holder_of(l, owner, l.remembered)
    if not holder then return {3} end
    join_queue(l, asker)
    return refuse(l, holder)
  end

  join_queue(l, asker)
  -- GET, unlike MGET, fails for a key of another type, which must not be overwritten.
  redis.call('GET', l.lock)
  -- A request must not overtake earlier ones that can be reached.
  local next_holder = hand_over(l, from, asker.request, counted)
  if next_holder then return refuse(l, next_holder) end
  remove_waiter(l, asker.request)
  return grant(l, asker, next_token(l.remembered), from ~= '-' and from or released_by(l.remembered))
end
