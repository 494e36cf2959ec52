-- Returns the channel to which a message for an instance is published.
--
-- If a script may publish only to channels in the slot of its keys, the address of an instance ends with
-- "*", and it listens to all channels with that prefix. "<inbox>*" then becomes
-- "<inbox>:{distributed_lock:order:42}", with the hash tag of the lock's other keys.

-- Whether the channel of an address depends on the lock.
local function is_bound(address)
  return string.sub(address, -1) == '*'
end

-- queue: key of the lock's queue, which has the hash tag of all its keys
local function channel_of(address, queue)
  if not is_bound(address) then return address end
  return string.sub(address, 1, -2) .. ':' .. string.match(queue, '{[^}]*}')
end
