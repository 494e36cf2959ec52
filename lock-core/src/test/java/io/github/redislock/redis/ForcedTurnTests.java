package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LocalLocks;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance begins no new hold with a lock once it can detect that the lock was
 * force-released or deleted.
 */
@Tag("promise-taken-by-force")
class ForcedTurnTests {

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofSeconds(9))
		.waitTime(Duration.ofMinutes(1))
		.reentrant(false);

	private final RedisProcess redis = RedisProcess.start();

	/** The turn does not end by itself. */
	private final RedisLockTemplate holder = open(
			LockConfiguration.defaults().instance("former").slice(Duration.ofMinutes(1)));

	private final RedisLockTemplate other = open(LockConfiguration.defaults());

	private final RedisLockTemplate operator = open(LockConfiguration.defaults());

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
		this.holder.close();
		this.other.close();
		this.operator.close();
		this.redis.close();
	}

	@Test
	void forceReleasedLockIsNotPassedOnEvenWithoutANotice() throws Exception {
		LockHandle lock = this.holder.acquire(LockTarget.of("order:42"), PATIENT);
		CompletableFuture<LockHandle> waiting = acquire(this.holder);
		awaitWaiting(this.holder);
		this.redis.command("ACL", "SETUSER", "default", "-subscribe");
		this.redis.command("CLIENT", "KILL", "TYPE", "pubsub");
		this.operator.forceRelease(LockTarget.of("order:42"));
		LockHandle present = this.other.acquire(LockTarget.of("order:42"), PATIENT);

		lock.release();
		this.threads.execute(present::close);

		LockHandle got = waiting.get(20, TimeUnit.SECONDS);
		assertThat(got.fencingToken()).isGreaterThan(present.fencingToken());
		assertThat(got.verify()).isTrue();
		got.close();
	}

	@Test
	void deletedLockIsNotPassedOnAfterADisconnect() throws Exception {
		LockHandle lock = this.holder.acquire(LockTarget.of("order:42"), PATIENT);
		CompletableFuture<LockHandle> waiting = acquire(this.holder);
		awaitWaiting(this.holder);
		this.redis.command("DEL", "distributed_lock:order:42");
		this.redis.command("CLIENT", "KILL", "TYPE", "pubsub");
		LockHandle present = this.other.acquire(LockTarget.of("order:42"), PATIENT);
		Awaitility.await("all listen again").atMost(Duration.ofSeconds(20)).until(() -> listeners() == 2);

		lock.release();
		this.threads.execute(present::close);

		LockHandle got = waiting.get(20, TimeUnit.SECONDS);
		assertThat(got.fencingToken()).isGreaterThan(present.fencingToken());
		got.close();
	}

	private CompletableFuture<LockHandle> acquire(RedisLockTemplate locks) {
		return CompletableFuture.supplyAsync(() -> locks.acquire(LockTarget.of("order:42"), PATIENT), this.threads);
	}

	private static void awaitWaiting(RedisLockTemplate locks) {
		Awaitility.await("waits")
			.until(() -> locks.local().waiting().stream().mapToInt(LocalLocks.Waiting::callers).sum() == 1);
	}

	/**
	 * Return how many instances are subscribed to forced releases.
	 */
	private long listeners() {
		List<?> reply = (List<?>) this.redis.command("PUBSUB", "NUMSUB", "distributed_lock:inbox:all");
		return (Long) reply.get(1);
	}

	private RedisLockTemplate open(LockConfiguration configuration) {
		return new RedisLockTemplate(
				RedisLockStore.create(this.redis.connectionFactory(), RedisLockStoreOptions.defaults()), configuration);
	}

}
