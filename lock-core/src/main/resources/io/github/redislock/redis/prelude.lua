-- What all scripts share: it stands before each of them.
--
-- The fence key remembers the last grant of a lock as "<token> <request> <owner>".

local function read_fence(value)
  if not value then return 0, nil, nil end
  local token, request, owner = string.match(value, '^(%d+) (%S*) (.*)$')
  return tonumber(token) or 0, request, owner
end

-- A double holds every integer up to 2^53: microseconds until the year 2255.
local function write_fence(token, request, owner)
  return string.format('%.0f %s %s', token, request, owner)
end
