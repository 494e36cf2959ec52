-- Splits KEYS into the keys of several locks, which come one lock after the other.

-- returns: a table of keys for each lock
local function keys_of_locks(count)
  local locks = {}
  for index = 1, count do
    locks[index] = {lock = KEYS[4 * index - 3], fence = KEYS[4 * index - 2], queue = KEYS[4 * index - 1],
        waiters = KEYS[4 * index]}
  end
  return locks
end
