package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.NeedsRedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances exchange messages over all servers.
 */
@NeedsRedisServer
class QuorumInstancesTests {

	private static final LockOptions PATIENT = LockOptions.options().timeout(Duration.ofMinutes(10));

	@AutoClose
	private final RedisLockTemplate one = instance("one");

	@AutoClose
	private final RedisLockTemplate two = instance("two");

	@Test
	@Tag("promise-taken-by-force")
	void holderIsNotifiedOfAForcedReleaseByAnotherInstance() throws Exception {
		CompletableFuture<Void> lost = new CompletableFuture<>();
		this.one.acquire(LockTarget.of("taken by force"), PATIENT).onLost(() -> lost.complete(null));
		Awaitility.await("all listen")
			.atMost(Duration.ofSeconds(20))
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.noneMatch((thread) -> thread.getName().equals("redis-lock-connect")));

		assertThat(this.two.forceRelease(LockTarget.of("taken by force"))).isTrue();

		lost.get(20, TimeUnit.SECONDS);
	}

	private static RedisLockTemplate instance(String name) {
		return new RedisLockTemplate(QuorumStores.create(), LockConfiguration.defaults().instance(name));
	}

}
