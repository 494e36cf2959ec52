-- Reads and writes the value of a lock key, which has one of three forms.
--
-- "<owner>"                           the owner token of a holder that is recorded in the fence, or any text that
--                                     another program has written
-- "<owner><tab><block><tab><token>"   the owner token, the number of fencing tokens and the first of them: a lock
--                                     that the script take granted, without a fence
-- "shared<tab><holders><tab><owner>"  the number of owners that share the lock, and one of their owner tokens
--
-- Owner tokens contain no tab or other control character.

-- returns: owner token, block and first fencing token of a lock that the script take granted; nil for any other lock
local function read_taken(value)
  local owner, block, token = string.match(value, '^(.*/[^/\t]*)\t(%d+)\t(%d+)$')
  -- Longer numbers are from another program.
  if owner and #block < 10 and #token < 17 then return owner, block, tonumber(token) end
end

-- value: of the lock key; false if the lock is free, a table if the key has another type
-- returns: whether the owner holds the lock exclusively, no matter which script granted it
local function is_owners(value, owner)
  return value == owner or type(value) == 'string' and read_taken(value) == owner
end

-- value: of the lock key; false if the lock is free
local function is_shared(value)
  return value and string.find(value, '^shared\t%d' .. string.rep('%d?', 8) .. '\t')
end

local function shared_value(holders, owner)
  return string.format('shared\t%d\t%s', holders, owner)
end
