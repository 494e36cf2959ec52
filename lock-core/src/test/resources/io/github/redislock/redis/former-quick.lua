-- Acquires and releases any number of uncontended locks at once.
--
-- Stores a lock as a single key with the value "<owner><tab><block><tab><token>": the owner token, how many fencing
-- tokens are reserved, and the first of them, which is the server's time in microseconds. The lock has no fence until
-- another script needs one: see lib/expand.lua. This script has its own pattern for the value instead of
-- lib/value.lua, because each function that a script defines takes time.
--
-- KEYS: lock, fence (of each lock to take), lock (of each lock to release)
-- ARGV: "<owner><tab><block><tab>", ttl-ms (of each lock to take), value of the lock key (of each lock to
--       release), takes (the number of locks to take; omitted if there are none)
-- returns: {a result for each lock to take, then for each lock to release}
--          to take     token                 granted
--                      "<value><tab><pttl>"  already held, and no request waits for it
--                      0                     run the script acquire
--          to release  1 released, 0 run the script release
--
-- If Redis refuses a command for one lock, only that lock is left to the other scripts.

local takes = #ARGV > #KEYS and tonumber(ARGV[#ARGV]) or 0
local replies = {}

local time = redis.call('TIME')
local token = time[1] * 1000000 + time[2]

-- Release first: after a DEL, Redis accepts the SETs of this script even if its memory is full. If the clock was set
-- back to before the grant, leave the lock to the script "release", which records the token.
for place = 2 * takes + 1, #KEYS do
  local lock = KEYS[place]
  local value = ARGV[place]
  local ours = redis.pcall('GET', lock) == value and tonumber(string.match(value, '%d+$')) <= token
  replies[place - takes] = ours and redis.pcall('DEL', lock) == 1 and 1 or 0
end

local digits = takes > 0 and string.format('%.0f', token)
for index = 1, takes do
  local lock, fence = KEYS[2 * index - 1], KEYS[2 * index]
  local no_fence, past = redis.pcall('EXISTS', fence) == 0, false
  if not no_fence then
    -- The fence may be deleted if it is not kept for anything else and the clock has passed its tokens.
    local remembered = redis.pcall('GET', fence)
    local last, block, kept = string.match(type(remembered) == 'string' and remembered or '',
        '^(%d+) (%d+) (%d+) ')
    past = last and last + block <= token and (kept + 1) * 1000 <= token
  end

  local set = (no_fence or past)
      and redis.pcall('SET', lock, ARGV[2 * index - 1] .. digits, 'NX', 'PX', ARGV[2 * index])
  if set and set.ok then
    replies[index] = token
    if past then redis.pcall('DEL', fence) end
  else
    local value = no_fence and not set and redis.pcall('GET', lock)
    local pttl = type(value) == 'string' and string.find(value, '/[^/\t]*\t%d+\t%d+$') and redis.pcall('PTTL', lock)
    replies[index] = type(pttl) == 'number' and value .. '\t' .. pttl or 0
  end
end
return replies
