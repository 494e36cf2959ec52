-- Raises the fencing token of locks that were just granted here to the one that a quorum of independent
-- servers has agreed on, if the owner still holds the locks.
--
-- Never lowers a token, except that of this grant, which no caller has seen.
--
-- KEYS: lock, fence (of each lock)
-- ARGV: owner, request, attempt (the granted attempt of that request), token, seen (the token of that
--       grant), block (fencing tokens to reserve)
-- returns: 1 the owner holds all locks, with at least that token; 0 it has lost one of them

local owner, request, attempt = ARGV[1], ARGV[2], ARGV[3]
local token, seen, block = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]

-- include: fence, hold

local function keys_at(index)
  return {lock = KEYS[index], fence = KEYS[index + 1]}
end

-- Several requests may share an owner token, so the last grant may belong to another request.
local function is_of_request(last_request)
  return last_request == request or string.sub(last_request, 1, #request + 1) == request .. '.'
end

for index = 1, #KEYS, 2 do
  local l = keys_at(index)
  -- MGET ignores a key of another type.
  if not is_owners(redis.call('MGET', l.lock)[1], owner) then return 0 end
end

for index = 1, #KEYS, 2 do
  local l = keys_at(index)
  local hold = read_hold(l)
  if not hold.known then
    hold.token, hold.block, hold.request = math.max(token, next_token(l)), block, attempt
  else
    hold.token = hold.token == seen and token or math.max(token, hold.token)
    -- From now on the grant belongs to this attempt, even if an earlier one is taken back.
    if is_of_request(hold.request) then hold.request = attempt end
  end
  write_hold(l, hold, time_to_live(l))
end
return 1
