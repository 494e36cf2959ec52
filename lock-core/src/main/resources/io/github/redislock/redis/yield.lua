-- Yields a lock to the next instance and asks for it anew: a release and an acquisition in one
-- step, so that the asker stands at the tail of the queue, or has the lock again at once if nobody
-- else waits.
--
-- KEYS: lock, fence, queue, waiters, cancel (of the new request)
-- ARGV: owner, request (both of the present holder), then as for an acquisition:
--       owner, request, ttl-ms, block, asked-at, claim-ms, inbox, counted
-- returns: {1 or 0 as a release does, then what an acquisition does}

local keys = {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], waiters = KEYS[4], cancel = KEYS[5]}
local asker = {
  owner = ARGV[3], request = ARGV[4], ttl = tonumber(ARGV[5]), block = ARGV[6],
  asked_at = ARGV[7], claim = ARGV[8], inbox = ARGV[9], counted = ARGV[10] == '1'
}

local released = release(keys, {owner = ARGV[1], request = ARGV[2]}, 0, asker.request, asker.counted)
return {released, unpack(acquire(keys, asker))}
