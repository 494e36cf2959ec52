-- Releases a place in a lock that several share: to the next one who waits.
--
-- Also where its owner has the lock alone still, since a downgrade has not come through.
--
-- KEYS: lock, fence, queue, waiters, places, grants, cancel
-- ARGV: owner, request, keep-ms (0: let it go now; else it stays taken that long), counted (1:
--       PUBLISH tells the number of all receivers)
-- returns: 1 it was the owner's; or has been, and was let go or withdrawn
--          0 it is not the owner's

local lock, fence, queue, waiters, places, grants, cancel = KEYS[1], KEYS[2], KEYS[3], KEYS[4],
    KEYS[5], KEYS[6], KEYS[7]
local owner, request, keep, counted = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'

-- include: fence, shared, queue, release, places, serve

local holder = redis.call('GET', lock)
if is_shared(holder) then
  count_places()
  if redis.call('ZSCORE', places, owner) then
    leave_place(owner, request, keep, counted)
    -- For the same request, sent twice.
    if keep == 0 then redis.call('SET', cancel, '1', 'PX', FENCE_MARGIN) end
    return 1
  end
end
if redis.call('GET', cancel) == '1' then return 1 end
return (release(holder, owner, request, keep, nil, counted))
