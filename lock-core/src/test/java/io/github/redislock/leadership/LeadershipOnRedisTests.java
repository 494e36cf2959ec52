package io.github.redislock.leadership;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import io.github.redislock.LockOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.FaultProxy;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances with separate connections elect a leader.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-15")
class LeadershipOnRedisTests {

	/** A short lease, for a leader that must detect its end. */
	private static final Duration SHORT = Duration.ofSeconds(3);

	/**
	 * For a leader that must still lead while Redis is frozen, even on a machine that
	 * stalls.
	 */
	private static final Duration LONG = Duration.ofSeconds(6);

	/** For a busy machine; the figures are printed. */
	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final RedisProcess redis = RedisProcess.start();

	private final List<Instance> instances = new CopyOnWriteArrayList<>();

	@AfterEach
	void close() {
		this.instances.forEach(Instance::close);
		this.redis.close();
	}

	@Test
	void closedInstanceHandsOverLeadership() {
		Instance first = lead(start());
		Instance second = candidate(start());
		AtomicLong cleanedUpAt = new AtomicLong();
		first.leadership.onRevoked((term) -> {
			Awaitility.await().pollDelay(Duration.ofMillis(300)).until(() -> true);
			cleanedUpAt.set(System.nanoTime());
		});

		long closed = System.nanoTime();
		first.close();

		lead(second);
		print("shutdown", second.grantedAt.get() - closed);
		assertThat(cleanedUpAt.get()).isNotZero();
		assertThat(second.grantedAt.get() - cleanedUpAt.get()).as("since the first one has cleaned up").isPositive();
	}

	@Test
	void leaderStepsDownOnceItsDeadlineHasPassedIfRedisIsFrozen() {
		Instance first = lead(start(this.redis.port(), LONG));
		candidate(start());
		long term = first.term();
		this.redis.freeze();
		// Requests replied to earlier have arrived by then.
		Awaitility.await().pollDelay(Duration.ofMillis(300)).until(() -> true);
		long deadline = System.nanoTime() + first.locks.local().held().get(0).remaining().toNanos();

		Awaitility.await().atMost(PATIENCE).until(() -> first.revokedAt.get() != 0);
		this.redis.thaw();

		print("revocation after the deadline", first.revokedAt.get() - deadline);
		assertThat(first.revokedAt.get()).isGreaterThanOrEqualTo(deadline);
		assertThat(awaitLeader().term()).isGreaterThan(term);
	}

	@Test
	void disconnectedLeaderIsReplacedAndReturnsAsACandidate() {
		FaultProxy proxy = FaultProxy.before(this.redis.port());
		Instance first = lead(start(proxy.port(), SHORT));
		Instance second = candidate(start());

		long cut = System.nanoTime();
		proxy.isolate();
		lead(second);

		print("leader cut off", second.grantedAt.get() - cut);
		assertThat(first.leadership.isLeader()).isFalse();
		// Without any message from Redis.
		Awaitility.await("revocation").atMost(PATIENCE).until(() -> first.revokedAt.get() != 0);
		proxy.flow();
		candidate(first);
		second.leadership.resign().join();
		assertThat(awaitLeader()).isSameAs(first);
		proxy.close();
	}

	private Instance start() {
		return start(this.redis.port(), SHORT);
	}

	private Instance start(int port, Duration lease) {
		Instance instance = new Instance(new RedisLockTemplate(this.redis.connectionFactory(port)), lease);
		this.instances.add(instance);
		instance.leadership.start();
		return instance;
	}

	private Instance lead(Instance instance) {
		Awaitility.await("leader").atMost(PATIENCE).until(() -> instance.granted.get() != 0);
		return instance;
	}

	private static Instance candidate(Instance instance) {
		Awaitility.await("candidate")
			.atMost(PATIENCE)
			.until(() -> instance.locks.local().waiting().stream().anyMatch((waiting) -> waiting.behind() != null));
		return instance;
	}

	private Instance awaitLeader() {
		return Awaitility.await("leader")
			.atMost(PATIENCE)
			.until(() -> Optional.ofNullable(leader()), Optional::isPresent)
			.orElseThrow();
	}

	/**
	 * Return the instance that leads and was notified of it.
	 */
	private @Nullable Instance leader() {
		return this.instances.stream()
			.filter((instance) -> instance.leadership.term().orElse(-1) == instance.granted.get())
			.findFirst()
			.orElse(null);
	}

	private static void print(String what, long nanos) {
		System.out.printf("[leadership] %s: %d us%n", what, nanos / 1_000);
	}

	private static final class Instance implements AutoCloseable {

		private final RedisLockTemplate locks;

		private final LockLeadership leadership;

		private final AtomicLong granted = new AtomicLong();

		private final AtomicLong grantedAt = new AtomicLong();

		private final AtomicLong revokedAt = new AtomicLong();

		Instance(RedisLockTemplate locks, Duration lease) {
			this.locks = locks;
			this.leadership = new LockLeadership("mailer", locks, LockOptions.options().timeout(lease));
			this.leadership.onGranted((term) -> {
				this.grantedAt.set(System.nanoTime());
				this.granted.set(term);
			});
			this.leadership.onRevoked((term) -> this.revokedAt.set(System.nanoTime()));
		}

		long term() {
			return this.leadership.term().orElseThrow();
		}

		@Override
		public void close() {
			this.leadership.stop();
			this.locks.close();
		}

	}

}
