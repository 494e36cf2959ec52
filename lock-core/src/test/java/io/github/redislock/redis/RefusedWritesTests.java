package io.github.redislock.redis;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.StoreCalls;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A Redis with full memory still releases locks and hands them to waiters. A Redis that
 * refuses every write never reports that it released or handed over a lock.
 */
@NeedsRedisServer
@Tag("promise-6")
class RefusedWritesTests {

	private static final LockTarget TARGET = LockTarget.of("full");

	private final AcquireRequest first = request("first");

	private final AcquireRequest second = request("second");

	private final AcquireRequest third = request("third");

	private final Queue<HandOver> told = new ConcurrentLinkedQueue<>();

	private RedisProcess redis;

	private LockStore store;

	@BeforeEach
	void holdAndQueue() {
		this.redis = RedisProcess.start();
		this.store = RedisLockStore.create(this.redis.connectionFactory(),
				RedisLockStoreOptions.defaults().commandTimeout(Duration.ofSeconds(10)));
		this.store.listen(new HandOverListener() {

			@Override
			public void handedOver(HandOver handOver) {
				RefusedWritesTests.this.told.add(handOver);
			}

			@Override
			public void changed() {
			}

		});
		Awaitility.await().until(() -> acquire(this.first) instanceof AcquireReply.Granted);
		// Before the memory is full, and until the subscription exists.
		Awaitility.await().until(() -> acquire(this.second) instanceof AcquireReply.Held held && held.notified());
	}

	@AfterEach
	void close() {
		this.store.close();
		this.redis.close();
	}

	@Test
	void releasedLockIsHandedOver() {
		fillMemory();

		assertThat(join(this.store.release(this.first, Duration.ZERO))).isTrue();

		assertThat(holder().owner()).isEqualTo("second");
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.told).extracting(HandOver::requestId).containsExactly("second"));
		assertThat(acquire(this.second)).as("asked all the same").isInstanceOf(AcquireReply.Granted.class);
	}

	@Test
	void yieldedLockIsHandedOverAndTheYielderWaits() {
		fillMemory();

		assertThat(join(this.store.yieldAndAcquire(this.first, this.third)).released()).isTrue();

		assertThat(holder().owner()).isEqualTo("second");
		assertThat(holder().waiters()).isEqualTo(1);
	}

	@Test
	void withdrawnGrantIsHandedOver() {
		fillMemory();

		join(StoreCalls.withdraw(this.store, this.first));

		assertThat(holder().owner()).isEqualTo("second");
		assertThat(acquire(this.first)).isInstanceOf(AcquireReply.Withdrawn.class);
	}

	@Test
	void forceReleasedLockIsHandedOver() {
		fillMemory();

		assertThat(join(StoreCalls.forceRelease(this.store, TARGET))).isTrue();

		assertThat(holder().owner()).isEqualTo("second");
	}

	@Test
	void waiterKeepsItsPlaceAndOthersMayQueue() {
		fillMemory();

		assertThat(acquire(this.second)).isInstanceOfSatisfying(AcquireReply.Held.class,
				(held) -> assertThat(held.queued()).isTrue());
		assertThat(acquire(this.third)).isInstanceOfSatisfying(AcquireReply.Held.class,
				(held) -> assertThat(held.holder().waiters()).isEqualTo(2));
	}

	@Test
	void refusedHandOverSendsNoMessage() {
		this.redis.command("CONFIG", "SET", "min-replicas-to-write", "1");
		assertThatThrownBy(() -> join(this.store.release(this.first, Duration.ZERO)))
			.hasCauseInstanceOf(LockStoreException.class);
		this.redis.command("CONFIG", "SET", "min-replicas-to-write", "0");

		assertThat(join(this.store.release(this.first, Duration.ZERO))).isTrue();

		Awaitility.await().until(() -> !this.told.isEmpty());
		assertThat(this.told).as("a message of the refused release would have come first").hasSize(1);
	}

	private void fillMemory() {
		this.redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
		this.redis.command("CONFIG", "SET", "maxmemory", "1");
	}

	private AcquireReply acquire(AcquireRequest request) {
		return join(this.store.acquire(request));
	}

	private LockState holder() {
		return join(this.store.inspect(TARGET)).orElseThrow();
	}

	private static AcquireRequest request(String name) {
		return new AcquireRequest(TARGET, name, name, Duration.ofMinutes(1), 1, Duration.ofSeconds(30));
	}

	private static <T> T join(CompletionStage<T> reply) {
		return reply.toCompletableFuture().join();
	}

}
