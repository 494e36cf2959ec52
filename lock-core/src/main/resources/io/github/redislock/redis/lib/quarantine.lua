-- Computes for how long Redis still grants no locks after it has lost its data.
--
-- The key "since" holds the time (server's ms) when it was first found missing. It never expires, so if it is
-- missing, Redis counts as having lost its data.

-- quarantine: its length in ms
-- returns: ms that are left; 0 or less if locks are granted
local function quarantine_left(since, quarantine)
  local now = math.floor(server_micros() / 1000)
  local begun = tonumber(redis.call('GET', since))
  -- If the clock was set back to before that time, the quarantine begins again.
  if not begun or begun > now then
    redis.call('SET', since, string.format('%.0f', now))
    begun = now
  end
  return begun + quarantine - now
end
