-- Goes on where a place in a lock that several share was released.

-- Lets the next ones in, in whichever way they want the lock, when a place was released or a request
-- withdrawn.
--
-- count: how many share the lock still
-- from: request that releases it, or "-"
local function settle(l, count, from, counted)
  if serve(l, count, nil, counted) > 0 then
    if l.changed then note_places(l) end
    return
  end
  local _, _, _, given = hand_over(l, from, nil, counted)
  if not given then delete_lock(l) end
end

-- keep: ms that the place stays taken all the same; 0 releases it now
local function release_place(l, owner, request, keep, counted)
  if keep > 0 then
    renew_place(l, owner, keep)
    return
  end
  remove_place(l, owner)
  settle(l, redis.call('ZCARD', l.places), request, counted)
end
