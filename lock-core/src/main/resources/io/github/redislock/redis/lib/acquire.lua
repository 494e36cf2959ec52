-- Gives a lock to the asker if it is free and the asker is next, or if the asker already holds it.
-- Otherwise the asker joins the queue or keeps its place in it.
--
-- A second run returns the same result, so a request may be sent again if its reply was lost. Never shortens
-- a lease.

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
  local remembered, withdrawn = found[2], found[3]
  if withdrawn then return {2} end
  local holder = full(l, found[1])
  if holder ~= found[1] then remembered = redis.call('GET', l.fence) end
  if holder == asker.owner then return grant_again(l, asker, remembered) end
  if holder then
    local token, _, _, last_owner = recall(remembered)
    local pttl = redis.call('PTTL', l.lock)
    if is_foreign(holder, pttl, last_owner) then return {3} end
    join_queue(l, asker)
    return refuse(l, asker, holder, pttl, token_of(holder, token, last_owner))
  end

  join_queue(l, asker)
  -- GET, unlike MGET, fails for a key of another type, which must not be overwritten.
  redis.call('GET', l.lock)
  -- A request must not overtake earlier ones.
  local chosen, chosen_claim, token = hand_over(l, from, asker.request, counted)
  if chosen then return refuse(l, asker, chosen, chosen_claim, token) end
  remove_waiter(l, asker.request)
  return grant(l, asker, next_token(remembered), from ~= '-' and from or released_by(remembered))
end
