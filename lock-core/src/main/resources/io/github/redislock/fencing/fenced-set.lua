-- Sets a value unless one with a greater fencing token was set before.
-- KEYS: value, fence   ARGV: value, token (a decimal number, not negative)
-- Returns: nothing if the value was set, else the greater token, as text.
-- Tokens are compared as text because Lua numbers are exact only up to 2^53.

local valueKey, fenceKey = KEYS[1], KEYS[2]
local value, token = ARGV[1], ARGV[2]

local newest = redis.call('GET', fenceKey)
if newest and (#newest > #token or (#newest == #token and newest > token)) then
  return newest
end
redis.call('SET', fenceKey, token)
redis.call('SET', valueKey, value)
return false
