-- Reads the arguments that describe the asker's request. All scripts that acquire a lock have them, except take.
--
-- ARGV: entry (see lib/entry.lua), ttl-ms (0: the lock never expires), asked-at (returned in messages to the
--       asker; "-": it waits and polls; "": it does not wait), counted (1: PUBLISH returns the number of all
--       receivers), quarantine (ms; only with its key)

-- first: index of the entry among all arguments
-- returns: the asker, counted, quarantine
local function read_asker(first)
  local asker = read_entry(ARGV[first])
  asker.ttl, asker.asked_at = tonumber(ARGV[first + 1]), ARGV[first + 2]
  return asker, ARGV[first + 3] == '1', ARGV[first + 4]
end
