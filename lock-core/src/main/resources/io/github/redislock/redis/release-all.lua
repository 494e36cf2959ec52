-- Releases several locks, each if it is still its owner's: hands it over to who waits, or frees it.
--
-- A key of another type under the name of a lock keeps none of the others from being released.
--
-- KEYS: lock, fence, queue, waiters (of each lock)
-- ARGV: owner, request, keep-ms (0: let them go now; else they stay closed that long), counted (1:
--       PUBLISH tells the number of all receivers)
-- returns: 1 all were the owner's; or have been, and were taken from it by nobody
--          0 one of them is not the owner's

local lock, fence, queue, waiters
local owner, request, keep, counted = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'

-- include: fence, queue, release, turn

local all = 1
for index = 1, #KEYS / 4 do
  turn_to(index)
  local present = redis.pcall('GET', lock)
  if type(present) == 'table' then
    if not string.find(present.err, 'WRONGTYPE', 1, true) then return present end
    all = 0
  elseif release(present, owner, request, keep, nil, counted) == 0 then
    all = 0
  end
end
return all
