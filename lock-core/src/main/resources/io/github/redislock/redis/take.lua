-- Takes any number of free locks at once, each without a fence that is still needed.
--
-- Stores a lock as a single key with the value "<owner><tab><block><tab><token>": the owner token, how many fencing
-- tokens are reserved, and the first of them, which is the server's time in microseconds. The value changes when a
-- request joins the queue of the lock: see record_hold in lib/hold.lua. This script has its own pattern for the value,
-- because each function that a script defines takes time.
--
-- KEYS: lock (of each lock to take), fence (of each lock to take)
-- ARGV: "<owner><tab><block><tab>", ttl-ms (of each lock to take)
-- returns: {a result for each lock}; if there is only one lock, its result
--          token                 granted
--          "<value><tab><pttl>"  already held, and no request waits for it
--          0                     run the script acquire
--
-- If Redis refuses a command for one lock, only that lock is left to the script acquire.

local replies, count = {}, #KEYS / 2
local time = redis.call('TIME')
local token = time[1] * 1000000 + time[2]
local digits = string.format('%.0f', token)
-- Usually, no lock has a fence, and one command for all of them is faster.
local no_fences = redis.pcall('EXISTS', unpack(KEYS, count + 1)) == 0

for index = 1, count do
  local lock, fence = KEYS[index], KEYS[count + index]
  local no_fence, past = no_fences or redis.pcall('EXISTS', fence) == 0, false
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
return count == 1 and replies[1] or replies
