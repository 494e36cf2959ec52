-- Takes and releases uncontended locks, any number at once: the usual case. The scripts acquire and release
-- are run next for all other locks.
--
-- Such a lock is one key, "<owner><tab><block><tab><token>": the owner token, how many fencing tokens are
-- reserved, and the first of them, which is the server's clock. It has neither fence nor queue. A request
-- that waits for it gives it a fence: see full.
--
-- KEYS: lock, fence (of each to take), lock (of each to release)
-- ARGV: "<owner><tab><block><tab>", ttl-ms (of each to take), value (of the lock key of each to release),
--       takes (how many there are to take; only if there are any)
-- returns: {of each to take, then of each to release}
--          to take     token                 granted
--                      "<value><tab><pttl>"  held by another owner, and no other request waits
--                      0                     ask the script acquire
--          to release  1 released, 0 ask the script release
--
-- If Redis refuses a command for one lock, that lock is left to those scripts. The others get their replies.

local takes = #ARGV > #KEYS and tonumber(ARGV[#ARGV]) or 0
local replies = {}

local time = redis.call('TIME')
local token = time[1] * 1000000 + time[2]

-- First, so that they are released even if the memory is full. Not if the clock has stepped back behind
-- the grant: its token, which has 16 digits until the year 2286, has to be remembered.
for place = 2 * takes + 1, #KEYS do
  local lock = KEYS[place]
  local value = ARGV[place]
  local ours = redis.pcall('GET', lock) == value and tonumber(string.sub(value, -16)) <= token
  replies[place - takes] = ours and redis.pcall('DEL', lock) == 1 and 1 or 0
end

local digits = takes > 0 and string.format('%.0f', token)
for index = 1, takes do
  local lock, fence = KEYS[2 * index - 1], KEYS[2 * index]
  local no_fence, past = redis.pcall('EXISTS', fence) == 0, false
  if not no_fence then
    -- It may only record a release: not kept for anything else, and its tokens are behind the clock.
    local remembered = redis.pcall('GET', fence)
    local last, block, kept = string.match(type(remembered) == 'string' and remembered or '',
        '^(%d+) (%d+) (%d+) ')
    past = last and last + block <= token and (kept + 1) * 1000 <= token
  end

  local set = (no_fence or past)
      and redis.pcall('SET', lock, ARGV[2 * index - 1] .. digits, 'NX', 'PX', ARGV[2 * index])
  if set and set.ok then
    replies[index] = token
    -- It would belong to an earlier owner.
    if past then redis.pcall('DEL', fence) end
  else
    local value = no_fence and not set and redis.pcall('GET', lock)
    local pttl = type(value) == 'string' and string.find(value, '/[^/\t]*\t%d+\t%d+$') and redis.pcall('PTTL', lock)
    replies[index] = type(pttl) == 'number' and value .. '\t' .. pttl or 0
  end
end
return replies
