-- Acquires a place in a lock that several share, if nobody has the lock alone, nobody waits longer,
-- and there is room; otherwise the asker joins the queue or keeps its place in it.
--
-- KEYS: lock, fence, queue, waiters, places, grants, cancel, since (only with a quarantine)
-- ARGV: owner, request, ttl-ms, block ("*<n>": at most n may share it), asked-at (comes back with the
--       message of a hand-over), claim-ms, inbox ("": does not wait; "-": waits and asks again by
--       itself), counted (1: PUBLISH tells the number of all receivers), quarantine (ms; only with its
--       key)
-- returns: {1, token}                              granted
--          {0, holder, pttl, token or 0, waiters}  held by others; of several, as their lock key
--                                                  with the one whose lease ends first; pttl
--                                                  is -1 without expiry, and below that if the lock is
--                                                  free, and kept so many ms for that one
--          {2}                                     this request was withdrawn
--          {3}                                     the key is not a lock: it has no expiry, and no lock
--                                                  of ours is remembered that never expires
--          {4, ms}                                 Redis has lost its data and grants nothing so long

local lock, fence, queue, waiters, places, grants, cancel, since = KEYS[1], KEYS[2], KEYS[3], KEYS[4],
    KEYS[5], KEYS[6], KEYS[7], KEYS[8]
local owner, request, ttl, block = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local asked_at, claim, inbox, counted = ARGV[5], ARGV[6], ARGV[7], ARGV[8] == '1'
local quarantine = ARGV[9]

-- include: fence, quarantine, shared, queue, join, places, serve

local left = since and quarantine_left() or 0
if left > 0 then return {4, left} end
local holder = redis.call('GET', lock)
if redis.call('EXISTS', cancel) == 1 then return {2} end

if holder and not is_shared(holder) then
  local last_token, _, _, last_owner = recall(redis.call('GET', fence))
  local pttl = redis.call('PTTL', lock)
  if is_foreign(holder, pttl, last_owner) then return {3} end
  join_queue()
  return refuse(holder, pttl, token_of(holder, last_token, last_owner))
end

local count = holder and count_places() or forget_places()
local granted = redis.call('HGET', grants, owner)
local granted_until = granted and redis.call('ZSCORE', places, owner)
if granted_until then
  -- Another request of this owner may have been the one whose turn it was.
  leave_queue(request)
  renew_place(owner, math.max(granted_until - place_end(0), ttl))
  return {1, tonumber(string.match(granted, '^%d+'))}
end

join_queue()
local turn
count, turn = serve(count, request, counted)
if count == 0 and not turn then
  -- Somebody is first who wants the lock alone, or who cannot be reached.
  local chosen, chosen_claim, token = hand_over('-', request, counted)
  if chosen then return refuse(chosen, chosen_claim, token) end
  turn = true
end
if turn and count < room_of(block) then
  local token = grant_place(owner, request, ttl)
  leave_queue(request)
  serve(count + 1, nil, counted)
  note_places()
  return {1, token}
end
if changed then note_places() end
local first, first_end = first_to_end()
local last_token = recall(redis.call('GET', fence))
return refuse(string.format('shared\t%d\t%s', count, first), first_end, last_token or 0)
