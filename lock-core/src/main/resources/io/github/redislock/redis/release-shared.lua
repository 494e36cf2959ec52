-- Releases a place in a shared lock, and admits the next waiters, shared or exclusive.
--
-- KEYS: lock, fence, queue, waiters, places, grants, withdrawn (cancel:<request>)
-- ARGV: owner, request, keep-ms (0: release it now; else it stays taken that long), counted (1:
--       PUBLISH returns the number of all receivers)
-- returns: {1} the owner had a place; or, as far as Redis remembers, this request was released
--              or withdrawn before, or the lock has expired and its last grant was to this owner
--          {0} otherwise
--          followed by the messages that the caller has to publish (see lib/queue.lua)

local l = {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], waiters = KEYS[4], places = KEYS[5], grants = KEYS[6]}
local withdrawn = KEYS[7]
local owner, request, keep, counted = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'

-- include: entry, fence, hold, prolong, queue, handover, release, places, serve, settle

local hold = read_hold(l)
if hold and hold.shared then
  count_places(l)
  if redis.call('ZSCORE', l.places, owner) then
    release_place(l, owner, request, keep, counted)
    -- A second copy of the release then gets the same reply.
    if keep == 0 then redis.call('SET', withdrawn, '1', 'PX', FENCE_MARGIN) end
    return {1, unpack(unsent)}
  end
end
if redis.call('GET', withdrawn) == '1' then return {1} end
return {(release(l, hold, owner, request, keep, nil, counted)), unpack(unsent)}
