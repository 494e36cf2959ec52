-- Passes on a shared lock, or its places.

-- Admits the next requests, shared or exclusive, after a place was released or a request was withdrawn.
--
-- count: how many still share the lock
-- from: request that releases a place, or "-"
local function settle(l, count, from, counted)
  if serve(l, count, nil, counted) > 0 then
    if l.changed then note_places(l) end
    return
  end
  local _, given = hand_over(l, nil, from, nil, counted)
  if not given then free_lock(l, nil) end
end

-- keep: ms for which the place stays taken; 0 releases it now
local function release_place(l, owner, request, keep, counted)
  if keep > 0 then
    renew_place(l, owner, keep)
    return
  end
  remove_place(l, owner)
  settle(l, redis.call('ZCARD', l.places), request, counted)
end
