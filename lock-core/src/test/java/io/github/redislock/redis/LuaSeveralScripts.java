package io.github.redislock.redis;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.redislock.internal.redis.Script;
import io.github.redislock.redis.LuaScripts.Asker;
import io.github.redislock.testing.TestRedis;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Runs the scripts for several locks of the shared Redis, named by single letters, and
 * those for one of them.
 */
final class LuaSeveralScripts {

	private static final String PREFIX = "distributed_lock:";

	/** The entries of all requests. */
	private final Map<String, String> asked = new HashMap<>();

	final StringRedisTemplate redis = new StringRedisTemplate(TestRedis.shared().connectionFactory());

	List<Object> acquire(String names, Asker asker) {
		Stream<String> cancel = Stream.of(beside(names.substring(0, 1), "cancel:") + asker.request());
		Stream<String> since = (asker.quarantine() > 0) ? Stream.of(LuaScripts.SINCE) : Stream.empty();
		Script script = (names.length() > 1) ? LockScript.ACQUIRE_ALL : LockScript.ACQUIRE;
		this.asked.put(asker.request(), asker.entry());
		return LuaScripts.list(script, Stream.concat(keys(names), Stream.concat(cancel, since)).toList(),
				asker.arguments());
	}

	long release(String names, String owner, String request) {
		return release(names, owner, request, 0);
	}

	long release(String names, String owner, String request, long keep) {
		Script script = (names.length() > 1) ? LockScript.RELEASE_ALL : LockScript.RELEASE;
		return (Long) LuaScripts.list(script, keys(names).toList(), owner, request, keep, "1").get(0);
	}

	long withdraw(String names, String owner, String request) {
		return withdraw(names, owner, request, 5_000);
	}

	long withdrawArrived(String names, String owner, String request) {
		return withdraw(names, owner, request, 0);
	}

	private long withdraw(String names, String owner, String request, long memory) {
		Script script = (names.length() > 1) ? LockScript.WITHDRAW_ALL : LockScript.WITHDRAW;
		Stream<String> cancel = Stream.of(beside(names.substring(0, 1), "cancel:") + request);
		return run(script, Stream.concat(keys(names), cancel), entry(owner, request), memory, 0, "1");
	}

	long forceRelease(String name) {
		return (Long) LuaScripts
			.list(LockScript.FORCE_RELEASE,
					Stream.concat(keys(name), Stream.of(beside(name, "places"), beside(name, "grants"))).toList(), "1",
					"", LuaScripts.NEWS, name)
			.get(0);
	}

	/**
	 * Return the owners of locks, with "-" for a free lock.
	 */
	List<String> owners(String names) {
		return names.chars()
			.mapToObj(Character::toString)
			.map((name) -> Objects.requireNonNullElse(get(lock(name)), "-"))
			.toList();
	}

	List<String> queue(String name) {
		return Objects.requireNonNull(this.redis.opsForZSet().range(beside(name, "queue"), 0, -1))
			.stream()
			.map((entry) -> entry.substring(0, entry.indexOf(' ')))
			.toList();
	}

	double place(String name, String request) {
		return Objects.requireNonNull(this.redis.opsForZSet().score(beside(name, "queue"), this.asked.get(request)));
	}

	/**
	 * Return what describes the request in the queue, if it was sent.
	 */
	private String entry(String owner, String request) {
		return this.asked.getOrDefault(request, new Asker(owner, request).entry());
	}

	@Nullable String get(String key) {
		return this.redis.opsForValue().get(key);
	}

	String fence(String name) {
		return String.valueOf(get(beside(name, "fence")));
	}

	static String lock(String name) {
		return PREFIX + name;
	}

	static String beside(String name, String part) {
		return "{" + PREFIX + name + "}:" + part;
	}

	private static Stream<String> keys(String names) {
		return names.chars()
			.mapToObj(Character::toString)
			.flatMap((name) -> Stream.of(lock(name), beside(name, "fence"), beside(name, "queue"),
					beside(name, "waiters")));
	}

	private static long run(Script script, Stream<String> keys, Object... arguments) {
		return (Long) LuaScripts.run(script, keys.toList(), arguments);
	}

}
