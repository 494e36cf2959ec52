package io.github.redislock.redis;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.redislock.internal.client.Script;
import io.github.redislock.redis.LuaScripts.Asker;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Runs the scripts for several locks of the shared Redis, named by single letters, and
 * those for one of them.
 */
final class LuaSeveralScripts {

	private static final String PREFIX = "distributed_lock:";

	/** Remembers the requests. */
	final LuaScripts one = new LuaScripts();

	final StringRedisTemplate redis = this.one.redis;

	List<Object> acquire(String names, Asker asker) {
		Script script = (names.length() > 1) ? LockScript.ACQUIRE_ALL : LockScript.ACQUIRE;
		return LuaScripts.list(script, LuaScripts.keys(withMark(names, asker.request()), asker),
				this.one.arguments(asker));
	}

	long release(String names, String owner, String request) {
		return (Long) LuaScripts.list(LockScript.RELEASE, keys(names).toList(), owner, request, 0, "1").get(0);
	}

	long withdraw(String names, String owner, String request) {
		return (Long) LuaScripts.run(LockScript.WITHDRAW, withMark(names, request), this.one.entry(owner, request),
				5_000, 0, "1");
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
			.map((name) -> Objects.requireNonNullElse(this.one.get(lock(name)), "-"))
			.toList();
	}

	List<String> queue(String name) {
		return Objects.requireNonNull(this.redis.opsForZSet().range(beside(name, "queue"), 0, -1))
			.stream()
			.map((entry) -> entry.substring(0, entry.indexOf(' ')))
			.toList();
	}

	double place(String name, String request) {
		return Objects
			.requireNonNull(this.redis.opsForZSet().score(beside(name, "queue"), this.one.entry("-", request)));
	}

	String fence(String name) {
		return String.valueOf(this.one.get(beside(name, "fence")));
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

	/**
	 * Return the keys of locks, and that of the mark of a withdrawal.
	 */
	private static List<String> withMark(String names, String request) {
		return Stream.concat(keys(names), Stream.of(beside(names.substring(0, 1), "cancel:") + request)).toList();
	}

}
