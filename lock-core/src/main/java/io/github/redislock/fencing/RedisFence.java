package io.github.redislock.fencing;

import java.nio.charset.StandardCharsets;

import io.github.redislock.LockHandle;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.util.Assert;

/**
 * Sets values in Redis behind a fence: a value is refused if one with a greater fencing
 * token was set before. <pre class="code">
 * fence.set("price:" + sku, price, LockContext.current().fencingToken());
 * </pre>
 * <p>
 * The greatest token is stored in <code>{key}:fence</code> (or {@code key:fence} if the
 * key has a hash tag), without an expiry. The value and the token change atomically, even
 * inside a Spring transaction. Read the value like any other value. Thread-safe.
 *
 * @see LockHandle#fencingToken()
 */
public final class RedisFence {

	private static final byte[] SCRIPT = bytes(
			RedisScript.of(new ClassPathResource("fenced-set.lua", RedisFence.class)).getScriptAsString());

	private final RedisConnectionFactory connectionFactory;

	/**
	 * Create a fence.
	 * @param connectionFactory connects to the Redis that has the values
	 */
	public RedisFence(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	/**
	 * Set a value, or refuse it. Removes any expiry of the value.
	 * @param key the key of the value
	 * @param value the value
	 * @param token the fencing token of the writer's lock; not negative
	 * @throws StaleFencingTokenException if a value with a greater token was set before
	 */
	public void set(String key, String value, long token) {
		Assert.notNull(key, "key must not be null");
		Assert.notNull(value, "value must not be null");
		if (token < 0) {
			throw new IllegalArgumentException("token must not be negative but is " + token);
		}
		// In a transaction, a template might only queue the script and return nothing.
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			byte[] newest = connection.scriptingCommands()
				.eval(SCRIPT, ReturnType.VALUE, 2, bytes(key), bytes(fenceKey(key)), bytes(value),
						bytes(Long.toString(token)));
			if (newest != null) {
				throw new StaleFencingTokenException(key, token,
						Long.parseLong(new String(newest, StandardCharsets.US_ASCII)));
			}
		}
	}

	/**
	 * Return the key of the fence, which is in the same hash slot as the key of the
	 * value.
	 */
	private static String fenceKey(String key) {
		int open = key.indexOf('{');
		boolean tagged = open >= 0 && key.indexOf('}', open) > open + 1;
		return tagged ? key + ":fence" : "{" + key + "}:fence";
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
