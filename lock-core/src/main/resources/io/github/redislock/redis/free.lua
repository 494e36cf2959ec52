-- Frees any number of locks at once, each only if its key still has exactly the value that the script take has stored.
--
-- Does not read the fence: a lock with such a value has none, or one that only marks a withdrawn request.
--
-- KEYS: lock (of each lock)
-- ARGV: value (of each lock)
-- returns: {a result for each lock}; if there is only one lock, its result
--          1 freed, 0 run the script release

local lock = KEYS[1]
if #KEYS == 1 then return redis.pcall('GET', lock) == ARGV[1] and redis.call('DEL', lock) or 0 end

-- MGET ignores a key of another type.
local values, replies, ours = redis.call('MGET', unpack(KEYS)), {}, {}
for index = 1, #KEYS do
  replies[index] = values[index] == ARGV[index] and 1 or 0
  if replies[index] == 1 then ours[#ours + 1] = KEYS[index] end
end
if #ours > 0 then redis.call('DEL', unpack(ours)) end
return replies
