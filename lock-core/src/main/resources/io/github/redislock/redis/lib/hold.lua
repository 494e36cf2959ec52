-- Reads and writes the holder of a lock, from the value of its key.
--
-- "<owner><tab><block><tab><token>"                 a lock that the script take granted, for which no request waits:
--                                                   the owner token, how many fencing tokens are reserved, and the
--                                                   first of them
-- "<owner><tab><block><tab><token><tab><previous>"  a lock that another script granted, and the request that handed it
--                                                   over ("-": none)
-- "<owner>"                                         the owner token of a holder that is recorded in the fence, or any
--                                                   text that another program has written
-- "shared<tab><holders><tab><owner>"                the number of owners that share the lock, and one of their tokens
--
-- In the first two forms, the owner token ends with "/" and the granted request. Owner tokens contain no tab or other
-- control character.
--
-- A hold is a table: owner; token (0: none), block, request and previous like the fields of the fence (lib/fence.lua);
-- bare, recorded or shared, which say that the value has the first, third or last form; and known, unless another
-- program has written the value.

-- returns: owner token, request, block, fencing token and previous request of a lock in the first or second form; nil
--          for any other value
local function read_value(value)
  local owner, request, block, token, rest = string.match(value, '^(.*/([^/\t]*))\t(%d+)\t(%d+)(.*)$')
  local previous = owner and string.match(rest, '^\t(%S+)$')
  -- Longer numbers are from another program.
  if owner and (previous or rest == '') and #block < 10 and #token < 17 then
    return owner, request, block, tonumber(token), previous
  end
end

-- value: of the lock key; false if the lock is free
local function is_shared(value)
  return value and string.find(value, '^shared\t%d' .. string.rep('%d?', 8) .. '\t')
end

local function shared_value(holders, owner)
  return string.format('shared\t%d\t%s', holders, owner)
end

-- value: of the lock key; nil or false to read it now. GET, unlike MGET, fails for a key of another type
-- returns: the hold; nil if the lock is free
local function read_hold(l, value)
  value = value or redis.call('GET', l.lock)
  if not value then return nil end
  local owner, request, block, token, previous = read_value(value)
  if owner then
    return {owner = owner, request = request, block = block, token = token, previous = previous or '-',
        bare = not previous, known = true}
  end
  local record = read_record(l)
  if is_shared(value) then
    return {owner = value, token = record.token, previous = record.previous, shared = true, known = true}
  end
  if record.owner ~= value then return {owner = value, token = 0, block = 0, previous = '-'} end
  record.recorded, record.known = true, true
  return record
end

-- value: of the lock key; false if the lock is free
-- returns: whether the owner holds the lock exclusively
local function is_owners(value, owner)
  return value == owner or value and read_value(value) == owner
end

-- Writes the value of a lock, and records the hold in the fence if the value cannot name it, or if its tokens run ahead
-- of the clock.
--
-- ttl: ms; 0: the lock never expires
-- free: 'NX' if the key must not exist, or nil
-- returns: nil if the key exists, but must not
local function write_hold(l, hold, ttl, free)
  local named = string.sub(hold.owner, -#hold.request - 1) == '/' .. hold.request
  local value = not named and hold.owner
      or string.format('%s\t%s\t%.0f\t%s', hold.owner, hold.block, hold.token, hold.previous)
  local options = ttl > 0 and {'PX', ttl, free} or {free}
  if not redis.call('SET', l.lock, value, unpack(options)) then return nil end
  local record = read_record(l)
  if not named or ahead_of_clock(hold.token, hold.block) > FENCE_BEYOND then
    remember(l, hold, ttl)
  elseif record.owner and record.owner ~= '' and not record.released then
    -- The fence must not name the holder of an earlier grant, which would then count as the last one. This lock does
    -- not need the fence, so it expires even if the lock does not.
    remember(l, {token = hold.token, block = hold.block, request = '-', previous = hold.previous, owner = ''},
        math.max(ttl, 1))
  end
  return true
end

-- returns: ms until a lock expires, at least 1; 0: it never expires
local function time_to_live(l)
  local pttl = redis.call('PTTL', l.lock)
  -- A lock in its last millisecond has 0 left, which must not mean that it never expires.
  return pttl == -1 and 0 or math.max(pttl, 1)
end

-- Moves what the value of a lock says to the fence, so that the script free, or the server's own command, does not
-- delete a lock for which a request waits. Instances with version 2 of the contract know this form as well.
--
-- PEXPIRE or PERSIST comes first, so that Redis accepts the other writes even if its memory is full: see hand_over.
local function record_hold(l, hold)
  local ttl = time_to_live(l)
  -- A key that has lost its expiry still belongs to its owner, and PEXPIRE with 0 would delete it.
  if ttl > 0 then redis.call('PEXPIRE', l.lock, ttl) else redis.call('PERSIST', l.lock) end
  redis.call('SET', l.lock, hold.owner, 'KEEPTTL')
  remember(l, hold, ttl)
  hold.recorded = true
end

-- Sets hold.pttl: the time to live of the lock.
--
-- returns: the hold; nil if the key has no expiry, and another program has written it: it is not a lock, and no request
--          waits for it
local function with_rest(l, hold)
  hold.pttl = redis.call('PTTL', l.lock)
  return (hold.known or hold.pttl ~= -1) and hold or nil
end

-- Grants a free lock to the asker.
--
-- token: the first fencing token to reserve
-- returns: {1, token}
local function grant(l, asker, token)
  local hold = {owner = asker.owner, block = asker.wants, token = token, request = asker.request,
      previous = released_by(l)}
  -- The free lock has been read with MGET, which ignores a key of another type.
  if not write_hold(l, hold, asker.ttl, 'NX') then return {err = 'WRONGTYPE'} end
  return {1, token}
end
