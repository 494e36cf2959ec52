package io.github.redislock.internal.redis;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import io.lettuce.core.protocol.ProtocolKeyword;
import org.jspecify.annotations.Nullable;

/**
 * A command of newer servers that deletes a key if the key has a given value.
 *
 * @param command the name of the command
 * @param condition the word between the key and the value; {@code null} if there is none
 */
record ConditionalDelete(String command, @Nullable String condition) implements ProtocolKeyword {

	/** Since Redis 8.4. */
	static final ConditionalDelete OF_REDIS = new ConditionalDelete("DELEX", "IFEQ");

	/** Since Valkey 9.0. */
	static final ConditionalDelete OF_VALKEY = new ConditionalDelete("DELIFEQ", null);

	/**
	 * Returns which of the commands the server has and permits. Unlike {@code COMMAND},
	 * it needs no permission. Before Redis 7.0, the function for that does not exist.
	 */
	private static final String FIND = """
			local function is_permitted(...)
			  local known, permitted = pcall(redis.acl_check_cmd, ...)
			  return known and permitted
			end
			return is_permitted('DELEX', ARGV[1], 'IFEQ', '') and 1 or is_permitted('DELIFEQ', ARGV[1], '') and 2 or 0
			""";

	/**
	 * Find the command of a server, which may have none.
	 * @param key a key of the kind that will be deleted
	 */
	static CompletionStage<@Nullable ConditionalDelete> find(RedisScriptingAsyncCommands<byte[], byte[]> commands,
			byte[] key) {
		return commands.<Long>eval(FIND, ScriptOutputType.INTEGER, new byte[0][], key)
			.thenApply((found) -> (found == 1) ? OF_REDIS : (found == 2) ? OF_VALKEY : null);
	}

	@Override
	public byte[] getBytes() {
		return this.command.getBytes(StandardCharsets.US_ASCII);
	}

}
