-- Finds the server's own command that deletes a key if it has a value: DELEX since Redis 8.4, DELIFEQ since Valkey 9.0.
--
-- Unlike COMMAND INFO, it needs no permission. Before Redis 7.0, the function that it calls is missing, and so is the
-- command.
--
-- ARGV: a key of the kind that will be deleted, which is not accessed
-- returns: {the words of the command, without key and value}, if the server has it and permits it; otherwise {}

local function permits(...)
  local known, permitted = pcall(redis.acl_check_cmd, ...)
  return known and permitted
end

if permits('DELEX', ARGV[1], 'IFEQ', '') then return {'DELEX', 'IFEQ'} end
return permits('DELIFEQ', ARGV[1], '') and {'DELIFEQ'} or {}
