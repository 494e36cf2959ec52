-- Admits requests that wait for a place in a shared lock.

local MOST_AT_ONCE = 100  -- the maximum for one call, because all other clients wait while a script runs

-- Gives places to waiting requests, from the head of the queue on, as long as they want to share the lock and there
-- is room. A request that cannot be reached stays in the queue, and can get a place when it asks next.
--
-- After MOST_AT_ONCE of them, the next one is notified to ask, if it wants to share the lock. The script of its request
-- continues from there.
--
-- count: how many share the lock
-- asking: entry of the request that takes a place itself when its turn comes, or nil; need not be in the queue
-- returns: how many share the lock now, and whether no request that can be reached is left before the asking one
local function serve(l, count, asking, counted)
  local position, served = 0, 0
  while true do
    local entry, joined = entry_at(l, position, asking)
    if not entry or entry == asking then return count, true end
    if served == MOST_AT_ONCE then
      notify_next(l)
      return count, false
    end
    if served + position == 0 then prolong_queue(l) end
    local waiter = read_waiter(l, entry, joined)
    if not waiter then
      remove_waiter(l, entry, string.match(entry, '^%S+'))
    else
      if not waiter.room or count >= waiter.room then return count, false end
      local received = notify(waiter, next_token(l))
      if is_reached(received, counted) then
        remove_waiter(l, entry, waiter.request)
        grant_place(l, waiter.owner, waiter.request, tonumber(waiter.claim))
        served = served + 1
        count = redis.call('ZCARD', l.places)
      else
        position = position + 1
      end
    end
  end
end
