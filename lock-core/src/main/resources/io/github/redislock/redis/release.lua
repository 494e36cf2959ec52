-- Releases a lock if it is still its owner's: hands it over to who waits, or frees it.
--
-- KEYS: lock, fence, queue, waiters
-- ARGV: owner, request, keep-ms (0: let it go now; else it stays closed that long), counted (1:
--       PUBLISH tells the number of all receivers)
-- returns: 1 it was the owner's; or has been, and was taken from it by nobody
--          0 it is not the owner's

return release(
    {lock = KEYS[1], fence = KEYS[2], queue = KEYS[3], waiters = KEYS[4]},
    {owner = ARGV[1], request = ARGV[2]}, tonumber(ARGV[3]), nil, ARGV[4] == '1')
