-- Takes back a request's grant, or passes on a lock that was reserved for it.

-- Marks a request as withdrawn, so that it is refused if it arrives late. The script take does not read the mark, so
-- the fence is kept.
--
-- refuse_for: ms, as text; "0": the request cannot arrive late
-- l: the lock of the request; nil for several locks, which the script take does not grant to one request
local function refuse_late(withdrawn, refuse_for, l)
  if refuse_for ~= '0' then redis.call('SET', withdrawn, '1', 'PX', refuse_for) end
  if refuse_for ~= '0' and l then keep_fence(l, tonumber(refuse_for), tonumber(refuse_for)) end
end

-- present: value of the lock key; false if the lock is free, a table if the key has another type
-- returns: 1 a grant was taken back, 0 there was none
local function undo_grant(l, present, owner, request, keep, counted)
  if not present then
    hand_over(l, '-', nil, counted)
  elseif present == owner then
    -- Several requests may share an owner token: only this one's grant is taken back.
    local _, last_request = recall(redis.call('GET', l.fence))
    if last_request == request then return (release(l, present, owner, request, keep, nil, counted)) end
  elseif type(present) == 'string' and is_shared(present) then
    notify_next(l)
  end
  return 0
end
