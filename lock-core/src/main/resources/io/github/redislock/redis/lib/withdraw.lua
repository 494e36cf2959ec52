-- Takes back what a request was granted, or passes on what was kept free for it.

-- Keeps a request that arrives only later from being granted anything.
--
-- refuse_for: ms, as text; 0: it was replied to, and cannot be late
-- l: the lock, if the script quick could grant it that request
local function refuse_late(withdrawn, refuse_for, l)
  if refuse_for ~= '0' then redis.call('SET', withdrawn, '1', 'PX', refuse_for) end
  if refuse_for ~= '0' and l then keep_fence(l, tonumber(refuse_for), tonumber(refuse_for)) end
end

-- present: value of the lock key; false if the lock is free
-- returns: 1 a grant was taken back, 0 there was none
local function take_back(l, present, owner, request, keep, counted)
  if not present then
    hand_over(l, '-', nil, counted)
  elseif present == owner then
    -- An owner token may be shared by several requests: only this one's grant goes back.
    local _, last_request = recall(redis.call('GET', l.fence))
    if last_request == request then return (release(l, present, owner, request, keep, nil, counted)) end
  elseif type(present) == 'string' and is_shared(present) then
    tell_next(l)
  end
  return 0
end
