-- Reads the arguments that describe the asker's request. All scripts that acquire a lock have them, except take.
--
-- ARGV: owner, request, ttl-ms (0: the lock never expires), wants (fencing tokens to reserve, or "*<n>":
--       at most n may share the lock), asked-at (returned in messages to the asker), claim-ms (how long it
--       holds a lock that is handed over; 0: it is notified to ask instead), inbox (channel for its messages;
--       "": it does not wait; "-": it waits and polls), counted (1: PUBLISH returns the number of all
--       receivers), quarantine (ms; only with its key)

-- first: index of the owner among all arguments
-- returns: the asker, counted, quarantine
local function read_asker(first)
  local asker = {owner = ARGV[first], request = ARGV[first + 1], ttl = tonumber(ARGV[first + 2]),
      wants = ARGV[first + 3], asked_at = ARGV[first + 4], claim = ARGV[first + 5], inbox = ARGV[first + 6]}
  return asker, ARGV[first + 7] == '1', ARGV[first + 8]
end
