-- Yields a lock to the next instance and asks for it anew: a release and an acquisition in one
-- step, so that the asker stands at the tail of the queue, or has the lock again at once if nobody
-- else waits.
--
-- KEYS: lock, fence, queue, waiters, cancel (of the new request), since (only with a quarantine)
-- ARGV: owner, request (both of the present holder), then as for an acquisition: new owner,
--       new request, ttl-ms, block, asked-at, claim-ms, inbox, counted, quarantine
-- returns: {1 or 0 as a release does, then what an acquisition does}

local lock, fence, queue, waiters, cancel, since = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local held_owner, held_request = ARGV[1], ARGV[2]
local owner, request, ttl, block = ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6]
local asked_at, claim, inbox, counted = ARGV[7], ARGV[8], ARGV[9], ARGV[10] == '1'
local quarantine = ARGV[11]

-- include: fence, quarantine, grant, shared, queue, release, join, acquire

local released, holder, holder_claim, token =
    release(redis.call('GET', lock), held_owner, held_request, 0, request, counted)
local left = since and quarantine_left() or 0
if left > 0 then return {released, 4, left} end
if holder and redis.call('EXISTS', cancel) == 0 then
  join_queue()
  return {released, unpack(refuse(holder, holder_claim, token))}
end
local found = redis.call('MGET', lock, fence, cancel)
local from = released == 1 and held_request or '-'
return {released, unpack(acquire(found[1], found[2], found[3], from))}
