package io.github.redislock.redis;

import java.time.Duration;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.RestrictedUser;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The documented permissions of each optional feature are sufficient for it.
 */
@NeedsRedisServer
class RestrictedUserTests {

	private static final String ACKS = "redis-lock.replication.min-acks";

	private static final RedisLockStoreOptions OPTIONS = RedisLockStoreOptions.defaults()
		.commandTimeout(Duration.ofSeconds(10));

	private static final LockOptions PATIENT = LockOptions.options().waitTime(Duration.ofMinutes(1));

	@ParameterizedTest
	@EnumSource(Route.class)
	void lockIsAcquiredWithAcknowledgements(Route route) {
		try (RedisProcess master = RedisProcess.start();
				RedisProcess replica = RedisProcess.start("replicaof 127.0.0.1 " + master.port());
				RedisLockTemplate locks = route.open(RestrictedUser.connectTo(master, ACKS), OPTIONS.minAcks(1));
				LockHandle lock = locks.acquire(LockTarget.of("job"), PATIENT)) {
			lock.renew();

			assertThat(replica.command("GET", FaultyNetwork.key("job"))).asString().startsWith(lock.owner() + '\t');
			assertThat(RestrictedUser.refusals("127.0.0.1", master.port())).isEmpty();
		}
	}

	@Test
	void acknowledgementsNeedTheirOwnPermission() {
		try (RedisProcess master = RedisProcess.start();
				RedisLockTemplate locks = Route.OWN_CONNECTION.open(RestrictedUser.connectTo(master),
						OPTIONS.minAcks(1))) {
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> locks.acquire(LockTarget.of("job"), PATIENT))
				.withMessageContaining("extend its ACL (command 'wait')");
			Awaitility.await().until(() -> Long.valueOf(0).equals(master.command("EXISTS", FaultyNetwork.key("job"))));
		}
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void lockIsAcquiredAfterAQuarantine(Route route) {
		try (RedisProcess redis = RedisProcess.start();
				RedisLockTemplate locks = route.open(RestrictedUser.connectTo(redis),
						OPTIONS.coldStartQuarantine(Duration.ofMillis(300)))) {
			locks.acquire(LockTarget.of("job"), PATIENT).close();

			assertThat(RestrictedUser.refusals("127.0.0.1", redis.port())).isEmpty();
		}
	}

}
