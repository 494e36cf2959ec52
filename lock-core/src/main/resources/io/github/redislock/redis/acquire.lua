-- Acquires a lock for its asker if it is free and the asker's turn, or already the asker's;
-- otherwise the asker joins the queue or keeps its place in it.
--
-- KEYS: lock, fence, queue, waiters, cancel
-- ARGV: owner, request, ttl-ms (0: the lock never expires), block (fencing tokens to reserve),
--       asked-at (comes back with the message of a hand-over), claim-ms,
--       inbox ("": does not wait, "-": waits, and asks again by itself), counted (1: PUBLISH
--       tells the number of all receivers)
-- returns: {1, token}                              granted
--          {0, holder, pttl, token or 0, waiters}  held by somebody else; pttl is -1 without expiry
--          {2}                                     this request was withdrawn

return acquire(
    {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], waiters = KEYS[4], cancel = KEYS[5]},
    {
      owner = ARGV[1], request = ARGV[2], ttl = tonumber(ARGV[3]), block = ARGV[4],
      asked_at = ARGV[5], claim = ARGV[6], inbox = ARGV[7], counted = ARGV[8] == '1'
    })
