-- Takes back a request's grant, or passes on a lock that was reserved for it.

-- Marks a request as withdrawn, so that it is refused if it arrives late. The script take does not read the mark, so
-- the fence is kept.
--
-- refuse_for: ms, as text; "0": the request cannot arrive late
-- l: the lock of the request; false for several locks, which the script take does not grant to one request
local function refuse_late(withdrawn, refuse_for, l)
  if refuse_for ~= '0' then redis.call('SET', withdrawn, '1', 'PX', refuse_for) end
  if refuse_for ~= '0' and l then keep_fence(l, tonumber(refuse_for), tonumber(refuse_for)) end
end

-- hold: the present holder, or nil
-- asker: the withdrawn request
-- returns: 1 a grant was taken back, 0 there was none
local function undo_grant(l, hold, asker, keep, counted)
  if not hold then
    hand_over(l, nil, '-', nil, counted)
  elseif hold.shared then
    notify_next(l)
  elseif hold.owner == asker.owner and hold.request == asker.request then
    -- Several requests may share an owner token: only this one's grant is taken back. It may ask again.
    hold.request = '-'
    return (release(l, hold, asker.owner, asker.request, keep, nil, counted))
  end
  return 0
end
