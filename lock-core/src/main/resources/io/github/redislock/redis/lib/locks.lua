-- Splits KEYS into the keys of several locks, which come one lock after the other, and reads their holders.

-- returns: a table of keys for each lock
local function keys_of_locks(count)
  local locks = {}
  for index = 1, count do
    locks[index] = {lock = KEYS[4 * index - 3], fence = KEYS[4 * index - 2], queue = KEYS[4 * index - 1],
        waiters = KEYS[4 * index]}
  end
  return locks
end

-- l.value: the value of the lock key, if it was read
-- returns: the holder, see lib/hold.lua; false if the lock is free; nil if its key has another type
local function hold_of(l)
  local found = l.value or redis.pcall('GET', l.lock)
  if type(found) ~= 'table' then return found and read_hold(l, found) end
  -- Raise any other error.
  if not string.find(found.err, 'WRONGTYPE', 1, true) then redis.call('GET', l.lock) end
end
