package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance reports from where it received a lock.
 */
class HandOverKindTests {

	private static final LockOptions WAIT = LockOptions.options()
		.timeout(Duration.ofSeconds(20))
		.waitTime(Duration.ofSeconds(40));

	private final List<HandOverKind> kinds = new CopyOnWriteArrayList<>();

	@AutoClose
	private final RedisLockTemplate other = template(LockConfiguration.defaults());

	private final LockListener listener = new LockListener() {

		@Override
		public void acquired(HeldLock lock, Duration waited, HandOverKind from) {
			HandOverKindTests.this.kinds.add(from);
		}

	};

	@AutoClose
	private final RedisLockTemplate locks = template(LockConfiguration.defaults().listener(this.listener));

	@Test
	void acquiringAFreeLockIsNotAHandOver() {
		this.locks.acquire(LockTarget.of("kind-free"), WAIT).close();

		assertThat(this.kinds).containsExactly(HandOverKind.NONE);
	}

	@ParameterizedTest
	@MethodSource("targets")
	void lockReleasedByAnotherInstanceIsARemoteHandOver(LockTarget target) throws Exception {
		// An instance polls until it has subscribed to hand-overs.
		Awaitility.await("subscription")
			.until(() -> kindOfNextInQueue(LockTarget.of("kind-remote")) == HandOverKind.REMOTE);

		assertThat(kindOfNextInQueue(target)).isEqualTo(HandOverKind.REMOTE);
	}

	@Test
	void handOverWithinTheInstanceIsLocalEvenThroughRedis() throws Exception {
		RedisLockTemplate always = template(LockConfiguration.defaults().slice(Duration.ZERO).listener(this.listener));
		try {
			LockHandle held = always.acquire(LockTarget.of("kind-local"), WAIT);
			CompletableFuture<AsyncLockHandle> waiting = always.async().acquire(LockTarget.of("kind-local"), WAIT);
			held.close();
			waiting.get(40, TimeUnit.SECONDS).release();
		}
		finally {
			always.close();
		}

		assertThat(this.kinds).containsExactly(HandOverKind.NONE, HandOverKind.LOCAL);
	}

	static List<LockTarget> targets() {
		LockTarget one = LockTarget.of("kind-remote");
		return List.of(one, LockTarget.allOf(one, LockTarget.of("kind-second")),
				LockTarget.of("kind-remote").forReading(), LockTarget.of("kind-remote").permits(2));
	}

	private HandOverKind kindOfNextInQueue(LockTarget target) throws Exception {
		this.kinds.clear();
		LockHandle held = this.other.acquire(LockTarget.of("kind-remote"), WAIT);
		CompletableFuture<AsyncLockHandle> waiting = this.locks.async().acquire(target, WAIT);
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.until(() -> this.other.inspect(LockTarget.of("kind-remote")).orElseThrow().waiters() == 1);
		held.close();
		waiting.get(40, TimeUnit.SECONDS).release();
		return this.kinds.get(0);
	}

	private static RedisLockTemplate template(LockConfiguration configuration) {
		return new RedisLockTemplate(
				RedisLockStore.create(TestRedis.shared().connectionFactory(), RedisLockStoreOptions.defaults()),
				configuration);
	}

}
