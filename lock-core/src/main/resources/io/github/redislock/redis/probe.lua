-- Probes whether a script may publish to any channel, or only to those in the slot of its keys.
--
-- The message announces the turn of a request that does not exist.
--
-- KEYS: queue (of any lock; is not touched)
-- ARGV: inbox (as for a script that may publish to any channel)
-- returns: 1 only to channels in the slot of its keys; 0 to any channel, or to none if the user may not publish

local queue = KEYS[1]
local inbox = ARGV[1]

-- include: channel

local function may_publish(channel)
  local received = redis.pcall('PUBLISH', channel, '- 0 0')
  return type(received) == 'number'
end

return not may_publish(inbox) and may_publish(channel_of(inbox .. '*', queue)) and 1 or 0
