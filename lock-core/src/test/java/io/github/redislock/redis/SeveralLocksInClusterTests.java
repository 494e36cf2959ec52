package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisCluster;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Several locks that are not all on one node of a Redis Cluster.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-12")
class SeveralLocksInClusterTests {

	private static final LockOptions ONCE = LockOptions.options().timeout(Duration.ofMinutes(1)).retry(0);

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofMinutes(1))
		.waitTime(Duration.ofSeconds(30));

	private static RedisCluster cluster;

	/** In the order in which they are acquired. */
	private List<LockTarget> names;

	private LockTarget all;

	private RedisLockTemplate locks;

	private RedisLockTemplate others;

	@BeforeAll
	static void startCluster() {
		cluster = RedisCluster.startMasters();
	}

	@AfterAll
	static void stopCluster() {
		cluster.close();
	}

	@BeforeEach
	void start() {
		this.names = Stream.of("a", "b", "c", "d")
			.sorted(Comparator.comparing(SeveralLocksInClusterTests::slot))
			.map(LockTarget::of)
			.toList();
		this.all = LockTarget.allOf(this.names);
		this.locks = new RedisLockTemplate(cluster.connectionFactory());
		this.others = new RedisLockTemplate(cluster.connectionFactory());
		this.locks.acquire(LockTarget.of("warm-up"), PATIENT).close();
		this.others.acquire(LockTarget.of("warm-up"), PATIENT).close();
	}

	@AfterEach
	void stop() {
		this.locks.close();
		this.others.close();
	}

	@Test
	void locksOnSeveralNodesShareOneHandle() {
		assertThat(this.names).as("all in slots of their own")
			.extracting((target) -> slot(target.name()))
			.doesNotHaveDuplicates();

		LockHandle lock = this.locks.acquire(this.all, ONCE);

		assertThat(lock.verify()).isTrue();
		assertThat(this.names).allMatch(this.others::isLocked);
		lock.extend(Duration.ofMinutes(5));
		assertThat(this.names).allSatisfy((name) -> assertThat(this.others.inspect(name))
			.hasValueSatisfying((state) -> assertThat(state.freeIn()).isGreaterThan(Duration.ofMinutes(5))));
		lock.close();
		assertThat(this.names).noneMatch(this.others::isLocked);
	}

	@Test
	void locksInOneSlotAreAcquiredTogether() {
		LockTarget tagged = LockTarget.allOf(LockTarget.of("{user7}:cart"), LockTarget.of("{user7}:address"));
		LockTarget elsewhere = LockTarget.of("{user1}:cart");
		LockTarget all = LockTarget.allOf(Stream.concat(tagged.each().stream(), Stream.of(elsewhere)).toList());
		assertThat(slot("{user1}:cart")).isLessThan(slot("{user7}:cart"));
		RedisLockStore store = RedisLockStore.create(cluster.connectionFactory(), RedisLockStoreOptions.defaults());

		assertThat(store.groups(tagged)).containsExactly(tagged);
		assertThat(store.groups(all)).containsExactly(elsewhere, tagged);
		assertThat(store.groups(this.all)).isEqualTo(this.names);
		store.close();
		LockHandle lock = this.locks.acquire(all, ONCE);
		assertThat(all.each()).allMatch(this.others::isLocked);
		lock.close();
		assertThat(all.each()).noneMatch(this.others::isLocked);
	}

	@Test
	void partialAcquireIsRolledBackIfALaterLockIsRefused() {
		LockTarget last = this.names.get(3);
		try (LockHandle held = this.others.acquire(last, ONCE)) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.locks.acquire(this.all, ONCE))
				.satisfies((refused) -> assertThat(refused.getHolder()).extracting(LockState::name)
					.isEqualTo(last.name()));

			Awaitility.await("roll-back")
				.untilAsserted(() -> assertThat(this.names.subList(0, 3)).noneMatch(this.others::isLocked));
			assertThat(held.verify()).isTrue();
		}
	}

	@Test
	void waiterGetsAllLocksOnceTheHeldOneIsFree() throws Exception {
		LockHandle held = this.others.acquire(this.names.get(2), ONCE);
		CompletableFuture<LockHandle> waiter = CompletableFuture.supplyAsync(() -> {
			LockHandle lock = this.locks.acquire(this.all, PATIENT);
			lock.detach();
			return lock;
		}, OwnThread::run);
		Awaitility.await("waiter")
			.until(() -> this.others.inspect(this.names.get(2)).map((state) -> state.waiters() == 1).orElse(false));

		held.close();

		LockHandle lock = waiter.get(30, TimeUnit.SECONDS);
		assertThat(lock.verify()).isTrue();
		lock.close();
		assertThat(this.names).noneMatch(this.others::isLocked);
	}

	@Test
	void overlappingSetsOnSeveralNodesNeitherDeadlockNorBreakExclusion() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		List<List<LockTarget>> sets = List.of(List.of(this.names.get(0), this.names.get(2)),
				List.of(this.names.get(2), this.names.get(1)), List.of(this.names.get(3), this.names.get(2)),
				List.of(this.names.get(2)));
		List<CompletableFuture<Void>> callers = new ArrayList<>();
		for (int number = 0; number < 8; number++) {
			RedisLockTemplate own = (number % 2 == 0) ? this.locks : this.others;
			LockTarget target = LockTarget.allOf(sets.get(number / 2));
			CompletableFuture<Void> done = new CompletableFuture<>();
			callers.add(done);
			new Thread(() -> {
				try {
					for (int round = 0; round < 50; round++) {
						try (LockHandle lock = own.acquire(target, PATIENT)) {
							assertThat(inside.incrementAndGet()).as("holders of the common lock").isEqualTo(1);
							assertThat(lock.isHeld()).isTrue();
							inside.decrementAndGet();
						}
					}
					done.complete(null);
				}
				catch (Throwable ex) {
					done.completeExceptionally(ex);
				}
			}).start();
		}

		CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);

		assertThat(this.names).noneMatch(this.others::isLocked);
	}

	/**
	 * Return the slot of a lock, as Redis computes it.
	 */
	private static Long slot(String name) {
		return (Long) cluster.nodes().get(0).command("CLUSTER", "KEYSLOT", FaultyNetwork.key(name));
	}

}
