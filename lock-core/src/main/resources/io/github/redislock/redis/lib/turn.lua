-- Lets what follows work on one of several locks, whose keys stand one lock after the other.
--
-- Sets the variables lock, fence, queue and waiters, by which all other parts know the keys.

local function turn_to(index)
  lock, fence, queue, waiters = KEYS[4 * index - 3], KEYS[4 * index - 2], KEYS[4 * index - 1], KEYS[4 * index]
end
