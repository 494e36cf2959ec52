package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.Script;
import io.github.redislock.testing.FaultProxy;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A Redis, a network that can be broken, and a template at the other end whose scripts
 * are loaded.
 */
final class FaultyNetwork implements AutoCloseable {

	final RedisProcess redis;

	final FaultProxy proxy;

	final RedisLockTemplate locks;

	private final LockKeys keys = new LockKeys("distributed_lock:");

	FaultyNetwork(Route route, Duration commandTimeout, String... redisOptions) {
		this.redis = RedisProcess.start(redisOptions);
		this.proxy = FaultProxy.before(this.redis.port());
		this.locks = route.open(this.redis.connectionFactory(this.proxy.port()),
				RedisLockStoreOptions.defaults().commandTimeout(commandTimeout));
		for (Script script : LockScript.ALL) {
			this.redis.command("SCRIPT", "LOAD", new String(script.bytes()));
		}
		// The first connection of a JVM is slow.
		this.locks.acquire(LockTarget.of("warm-up"), LockOptions.options().waitTime(Duration.ofSeconds(10))).close();
	}

	/**
	 * Return the owner token of the holder of a lock.
	 */
	@Nullable Object owner(String name) {
		return ownerIn(this.redis.command("GET", key(name)));
	}

	/**
	 * Return the owner token in the value of a lock key, which may be the whole value.
	 */
	static @Nullable Object ownerIn(@Nullable Object value) {
		return (value != null) ? value.toString().split("\t", 2)[0] : null;
	}

	/**
	 * Return the value of the key of a lock that no other request wants.
	 */
	static String quick(LockHandle lock) {
		return lock.owner() + "\t33\t" + lock.fencingToken();
	}

	/**
	 * Return the fencing token of the last grant in Redis.
	 */
	long token(String name) {
		String value = String.valueOf(this.redis.command("GET", key(name)));
		return Long.parseLong(value.contains("\t") ? value.split("\t")[2] : String
			.valueOf(this.redis.command("GET", new String(this.keys.of(LockTarget.of(name), LockKeys.FENCE).get(1))))
			.split(" ")[0]);
	}

	/**
	 * Return how often Redis was sent a script.
	 */
	long scriptCalls() {
		return this.redis.commandCounts().getOrDefault("evalsha", 0L);
	}

	/**
	 * Return all keys without an expiry.
	 */
	List<?> keysWithoutExpiry() {
		List<?> all = (List<?>) this.redis.command("KEYS", "*");
		return all.stream().filter((key) -> Long.valueOf(-1).equals(this.redis.command("PTTL", (String) key))).toList();
	}

	/**
	 * Wait until a lock is free, and check that it stays free.
	 */
	void awaitFree(String name, Duration atMost) {
		Awaitility.await("lock is free")
			.atMost(atMost)
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(10))
			.until(() -> owner(name) == null);
		Awaitility.await("lock stays free")
			.during(Duration.ofMillis(400))
			.atMost(Duration.ofSeconds(20))
			.until(() -> owner(name) == null);
	}

	@Override
	public void close() {
		this.proxy.flow();
		this.redis.thaw();
		this.locks.close();
		this.proxy.close();
		this.redis.close();
	}

	static String key(String name) {
		return "distributed_lock:" + name;
	}

}
