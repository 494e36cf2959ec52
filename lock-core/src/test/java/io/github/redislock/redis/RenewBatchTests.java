package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Renewals sent together succeed or fail separately, even if their locks lie in different
 * slots or one of them is not permitted.
 */
@NeedsRedisServer
class RenewBatchTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final LockTarget JOB_1 = LockTarget.of("job-1");

	private static final LockTarget JOB_2 = LockTarget.of("job-2");

	/**
	 * As with a proxy for a Cluster, the client sees one server that enforces slots.
	 */
	@ParameterizedTest
	@EnumSource(Route.class)
	void locksInDifferentSlotsBehindOneAddressAreAllRenewed(Route route) {
		try (RedisProcess redis = RedisProcess.start("cluster-enabled yes",
				"cluster-port " + RedisProcess.freePort())) {
			redis.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
			Awaitility.await()
				.until(() -> String.valueOf(redis.command("CLUSTER", "INFO")).contains("cluster_state:ok"));
			try (RedisLockStore store = store(route, redis)) {
				acquireBoth(store);

				assertThat(renewBoth(store))
					.allSatisfy((reply) -> assertThat(reply.toCompletableFuture().join()).isTrue());
			}
		}
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void lockWithoutPermissionDoesNotFailTheOthers(Route route) {
		try (RedisProcess redis = RedisProcess.start(); RedisLockStore store = store(route, redis)) {
			acquireBoth(store);
			redis.command("ACL", "SETUSER", "default", "resetkeys", "~*job-1*");

			List<CompletionStage<Boolean>> replies = renewBoth(store);

			assertThat(replies.get(0).toCompletableFuture()).succeedsWithin(MINUTE).isEqualTo(true);
			assertThat(replies.get(1).toCompletableFuture()).failsWithin(MINUTE)
				.withThrowableThat()
				.havingCause()
				.isInstanceOf(LockStoreException.class)
				.withMessageContaining("Lock 'job-2': renew failed: the Redis user may not do this");
		}
	}

	private static RedisLockStore store(Route route, RedisProcess redis) {
		return RedisLockStore.create(route.over(redis.connectionFactory()), RedisLockStoreOptions.defaults());
	}

	private static void acquireBoth(RedisLockStore store) {
		store.acquire(new AcquireRequest(JOB_1, "me", "request-1", MINUTE)).toCompletableFuture().join();
		store.acquire(new AcquireRequest(JOB_2, "me", "request-2", MINUTE)).toCompletableFuture().join();
	}

	private static List<CompletionStage<Boolean>> renewBoth(RedisLockStore store) {
		return store.renew(List.of(new RenewRequest(JOB_1, "me", MINUTE), new RenewRequest(JOB_2, "me", MINUTE)));
	}

}
