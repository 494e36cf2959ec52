-- Reads the entry of a request: what describes it in the queue, and in the arguments of scripts.
--
-- An entry is "<request> <claim> <wants> <inbox> <owner>": for how many ms the request holds a lock that is handed over
-- to it (0: it is notified to ask instead); how many fencing tokens it wants, or "*<n>" if it shares the lock with
-- others, at most n in all; the channel for its messages (nothing if it does not wait); and its owner token. A repeated
-- request has the same entry.

-- returns: the entry and its fields
local function read_entry(entry)
  local request, claim, wants, inbox, owner = string.match(entry, '^(%S+) (%d+) (%S+) (%S*) (.*)$')
  return {entry = entry, request = request, claim = claim, wants = wants, inbox = inbox, owner = owner}
end
