-- Reckons for how long a Redis that has lost its data grants nothing.
--
-- The key "since" holds the server's ms at which it was missed. It never expires: it is missing only
-- where all data are lost, or were never there.

-- quarantine: ms to grant nothing from then on
-- returns: ms that are left; 0 or less where locks are granted
local function quarantine_left(since, quarantine)
  local now = math.floor(server_micros() / 1000)
  local begun = tonumber(redis.call('GET', since))
  -- A clock that went back behind it is not waited for: the quarantine begins again.
  if not begun or begun > now then
    redis.call('SET', since, string.format('%.0f', now))
    begun = now
  end
  return begun + quarantine - now
end
