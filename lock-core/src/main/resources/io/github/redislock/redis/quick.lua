-- Takes and releases uncontended locks, any number at once: the usual case. All others are left to the
-- scripts acquire and release, which are run next.
--
-- Such a lock is one key, "<owner><tab><block><tab><token>": the owner token, how many fencing tokens are
-- reserved, and the first of them, which is the server's clock. It has neither fence nor queue. A request
-- that has to wait for it gives it a fence: see full.
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
-- What Redis refuses for one lock is refused once more by that script, and keeps none of the others from its
-- reply.

local takes = #ARGV > #KEYS and tonumber(ARGV[#ARGV]) or 0
local replies = {}

local time = redis.call('TIME')
local token = time[1] * 1000000 + time[2]

-- First of all, so that they are released although the memory is full. Not where the clock has gone back
-- behind the grant: its token, which has 16 digits until the year 2286, has to be remembered.
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
    -- It may be no more than the record of a release: kept for nothing, its tokens passed by the clock.
    local remembered = redis.pcall('GET', fence)
    local last, block, kept = string.match(type(remembered) == 'string' and remembered or '',
        '^(%d+) (%d+) (%d+) ')
    past = last and last + block <= token and (kept + 1) * 1000 <= token
  end

  local set = (no_fence or past)
      and redis.pcall('SET', lock, ARGV[2 * index - 1] .. digits, 'NX', 'PX', ARGV[2 * index])
  if set and set.ok then
    replies[index] = token
    -- It would speak for an owner of before.
    if past then redis.pcall('DEL', fence) end
  else
    local value = no_fence and not set and redis.pcall('GET', lock)
    local pttl = type(value) == 'string' and string.find(value, '/[^/\t]*\t%d+\t%d+$') and redis.pcall('PTTL', lock)
    replies[index] = type(pttl) == 'number' and value .. '\t' .. pttl or 0
  end
end
return replies
