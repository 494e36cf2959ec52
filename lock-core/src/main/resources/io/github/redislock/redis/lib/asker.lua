-- Reads who asks for a lock, and for what: the arguments that all scripts have which acquire one.
--
-- ARGV: owner, request, ttl-ms (0: the lock never expires), wants (fencing tokens to reserve, or "*<n>":
--       at most n may share the lock), asked-at (comes back with the message of a hand-over), claim-ms
--       (0: is not handed the lock, but told to ask), inbox ("": does not wait; "-": waits and asks again
--       by itself), counted (1: PUBLISH tells the number of all receivers), quarantine (ms; only with its
--       key)

-- first: place of the owner among all arguments
-- returns: the asker, counted, quarantine
local function read_asker(first)
  local asker = {owner = ARGV[first], request = ARGV[first + 1], ttl = tonumber(ARGV[first + 2]),
      wants = ARGV[first + 3], asked_at = ARGV[first + 4], claim = ARGV[first + 5], inbox = ARGV[first + 6]}
  return asker, ARGV[first + 7] == '1', ARGV[first + 8]
end
