-- Lets the asker wait for a lock, and keeps the fence as long as its queue.

-- returns: whether the request is new in the queue
local function join_queue(l, asker)
  if asker.inbox == '' then return false end
  prolong_queue(l)
  return enter_queue(l, asker, server_micros())
end
