package io.github.redislock.redis;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.redislock.LockHandle;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.RestrictedUser;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lock of one key is released with the server's own command if the server has one and
 * permits it, and with a script otherwise.
 */
@NeedsRedisServer
class ConditionalDeleteTests {

	private static final Pattern VERSION = Pattern.compile("(?m)^(redis|valkey)_version:(\\d+)\\.(\\d+)");

	private static final LockTarget JOB = LockTarget.of("job");

	@AutoClose
	private final RedisProcess redis = RedisProcess.start();

	@Test
	void lockIsReleasedWithTheServersOwnCommandOrWithTheScript() {
		String command = command();

		try (RedisLockTemplate locks = template(this.redis.connectionFactory())) {
			releaseUntil(locks, (command != null) ? command : "del");

			lostLockIsReported(locks);
			assertThat(this.redis.command("EXISTS", FaultyNetwork.key("job"))).isEqualTo(0L);
		}
	}

	@Test
	void scriptIsUsedWhereTheCommandIsNotPermitted() {
		try (RedisLockTemplate locks = template(RestrictedUser.connectTo(this.redis))) {
			releaseUntil(locks, "del");
			lostLockIsReported(locks);
		}

		assertThat(this.redis.commandCounts()).doesNotContainKeys("delex", "delifeq");
		assertThat(RestrictedUser.refusals("127.0.0.1", this.redis.port())).isEmpty();
	}

	@Test
	void scriptIsUsedOnceTheCommandIsNoLongerPermitted() {
		String command = command();
		Assumptions.assumeTrue(command != null, "this server has no such command");
		LettuceConnectionFactory restricted = RestrictedUser.connectTo(this.redis);
		this.redis.command("ACL", "SETUSER", "locks", "+" + command);
		try (RedisLockTemplate locks = template(restricted)) {
			releaseUntil(locks, command);
			this.redis.command("ACL", "SETUSER", "locks", "-" + command);

			assertThat(locks.acquire(JOB).release()).isEqualTo(ReleaseOutcome.RELEASED);
			assertThat(locks.acquire(JOB).release()).isEqualTo(ReleaseOutcome.RELEASED);
		}

		assertThat(RestrictedUser.refusals("127.0.0.1", this.redis.port())).containsExactly(command);
		assertThat(this.redis.command("ACL", "LOG").toString()).as("tried once").contains("[count, 1,");
	}

	/**
	 * Acquire and release a lock until the command has been used, because the server is
	 * asked in the background which commands it has.
	 */
	private void releaseUntil(RedisLockTemplate locks, String command) {
		Awaitility.await(command).atMost(Duration.ofMinutes(1)).until(() -> {
			assertThat(locks.acquire(JOB).release()).isEqualTo(ReleaseOutcome.RELEASED);
			return this.redis.commandCounts().containsKey(command);
		});
	}

	private void lostLockIsReported(RedisLockTemplate locks) {
		LockHandle lost = locks.acquire(JOB);
		this.redis.command("SET", FaultyNetwork.key("job"), "another's", "PX", "60000");
		assertThat(lost.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
		assertThat(this.redis.command("GET", FaultyNetwork.key("job"))).isEqualTo("another's");

		this.redis.command("DEL", FaultyNetwork.key("job"));
		LockHandle replaced = locks.acquire(JOB);
		this.redis.command("DEL", FaultyNetwork.key("job"));
		this.redis.command("HSET", FaultyNetwork.key("job"), "field", "value");
		assertThat(replaced.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
		assertThat(this.redis.command("HGET", FaultyNetwork.key("job"), "field")).isEqualTo("value");
		this.redis.command("DEL", FaultyNetwork.key("job"));
	}

	private @Nullable String command() {
		Matcher matcher = VERSION.matcher(String.valueOf(this.redis.command("INFO", "server")));
		Map<String, Integer> versions = new HashMap<>();
		while (matcher.find()) {
			versions.put(matcher.group(1),
					Integer.parseInt(matcher.group(2)) * 100 + Integer.parseInt(matcher.group(3)));
		}
		if (versions.containsKey("valkey")) {
			return (versions.get("valkey") >= 900) ? "delifeq" : null;
		}
		return (versions.get("redis") >= 804) ? "delex" : null;
	}

	private static RedisLockTemplate template(LettuceConnectionFactory application) {
		return Route.OWN_CONNECTION.open(application,
				RedisLockStoreOptions.defaults().commandTimeout(Duration.ofSeconds(10)));
	}

}
