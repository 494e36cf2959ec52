-- Acquires a lock for its asker if it is free and the asker's turn, or already the asker's;
-- otherwise the asker joins the queue or keeps its place in it.
--
-- KEYS: lock, fence, queue, waiters, cancel, since (only with a quarantine)
-- ARGV: owner, request, ttl-ms (0: the lock never expires), block (fencing tokens to reserve),
--       asked-at (comes back with the message of a hand-over), claim-ms (0: is not handed the lock,
--       but told to ask),
--       inbox ("": does not wait; "-": waits and asks again by itself), counted (1: PUBLISH tells the
--       number of all receivers), quarantine (ms; only with its key)
-- returns: {1, token}                              granted
--          {0, holder, pttl, token or 0, waiters}  held by somebody else; pttl is -1 without expiry,
--                                                  and below that if the lock is free, and kept so
--                                                  many ms for that one, whose turn it is
--          {2}                                     this request was withdrawn
--          {3}                                     the key is not a lock: it has no expiry, and no lock
--                                                  of ours is remembered that never expires
--          {4, ms}                                 Redis has lost its data and grants nothing so long

local lock, fence, queue, waiters, cancel, since = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local owner, request, ttl, block = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local asked_at, claim, inbox, counted = ARGV[5], ARGV[6], ARGV[7], ARGV[8] == '1'
local quarantine = ARGV[9]

-- include: fence, quarantine, grant

local left = since and quarantine_left() or 0
if left > 0 then return {4, left} end

-- The usual case comes before the rest is even defined: nobody holds the lock and nobody waits.
local found = redis.call('MGET', lock, fence, cancel)
if not found[1] and not found[3] and redis.call('EXISTS', queue) == 0 then
  return grant(next_token(found[2]), '-')
end

-- include: shared, queue, join, acquire

return acquire(found[1], found[2], found[3], '-')
