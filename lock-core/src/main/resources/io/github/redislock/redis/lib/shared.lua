-- Reads from the lock key whether a lock is shared. Owner tokens contain no tab or other control character.

-- holder: value of the lock key; nil if it is free
local function is_shared(holder)
  return holder and string.sub(holder, 1, 7) == 'shared\t'
end

-- returns: the fencing token of the current holder; 0 if it is another program, which has none
local function token_of(holder, last_token, last_owner)
  return (last_owner == holder or is_shared(holder)) and last_token or 0
end
