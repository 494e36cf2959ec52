package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.redis.Contention.Behaviour;
import io.github.redislock.redis.Instances.Served;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.github.redislock.redis.Instances.PATIENT;
import static io.github.redislock.redis.Instances.get;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lock passes from thread to thread inside an instance without Redis, until it is
 * another instance's turn.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-3")
class LocalPassTests {

	private static final LockOptions ONCE = LockOptions.options().retry(0);

	private Instances instances;

	@BeforeEach
	void start() {
		this.instances = new Instances();
	}

	@AfterEach
	void close() {
		this.instances.close();
	}

	@Test
	void tenAcquisitionsCostAtMostOneRequest() {
		// On a slow machine, only a few of them fit into the usual time of a turn.
		RedisLockTemplate locks = this.instances.start(LockConfiguration.defaults().slice(Duration.ofMinutes(1)));
		Behaviour behaviour = new Behaviour(() -> PATIENT, () -> Duration.ZERO);
		try (Contention contention = Contention.of(List.of(locks), 16, behaviour)) {
			Instances.await("warm JVM").until(() -> contention.holds() > 2_000);
			int holdsBefore = contention.holds();
			this.instances.redis.command("CONFIG", "RESETSTAT");

			Instances.await("many holds").until(() -> contention.holds() > holdsBefore + 20_000);
			long requests = this.instances.redis.commandCounts().get("evalsha");
			int holds = contention.holds() - holdsBefore;
			contention.stop();

			System.out.println("[local passes] " + holds + " holds, " + requests + " requests");
			assertThat((double) requests / holds).isLessThanOrEqualTo(0.1);
			contention.requireExclusion(this.instances);
			this.instances.requireNoLoss();
		}
	}

	@Test
	void turnEndsAfterThirtyThreeHoldsWhileOthersWait() {
		List<RedisLockTemplate> locks = List.of(this.instances.start(), this.instances.start());
		Behaviour behaviour = new Behaviour(() -> PATIENT, () -> Duration.ZERO);
		try (Contention contention = Contention.of(locks, 8, behaviour)) {
			Instances.await("many holds").until(() -> contention.holds() > 10_000);
			List<Integer> turns = contention.turns();
			contention.stop();

			// The first and the last turn may have had no contention.
			assertThat(turns.size()).isGreaterThan(100);
			assertThat(turns.subList(2, turns.size() - 1)).allSatisfy((holds) -> assertThat(holds).isBetween(1, 33));
			contention.requireExclusion(this.instances);
			this.instances.requireNoLoss();
		}
	}

	@Test
	void turnEndsAfterTwentyMillisecondsWhileOthersWait() {
		List<RedisLockTemplate> locks = List.of(this.instances.start(), this.instances.start());
		Behaviour behaviour = new Behaviour(() -> PATIENT, () -> Duration.ofMillis(4));
		try (Contention contention = Contention.of(locks, 8, behaviour)) {
			Instances.await("many holds").until(() -> contention.holds() > 400);
			List<Integer> turns = contention.turns();
			contention.stop();

			// The fifth begins after 16 ms at the earliest, a sixth never before 20.
			assertThat(turns.subList(2, turns.size() - 1)).allSatisfy((holds) -> assertThat(holds).isBetween(1, 5));
			contention.requireExclusion(this.instances);
			this.instances.requireNoLoss();
		}
	}

	@Test
	void everyLocalWaiterGetsItsRequestedLease() {
		LockHandle held = this.instances.start().acquire(LockTarget.of("job"), PATIENT);
		RedisLockTemplate locks = this.instances.start();
		List<CompletableFuture<Served>> line = new ArrayList<>();
		line.add(stand(locks, LockOptions.options().timeout(Duration.ofSeconds(60))));
		line.add(stand(locks, LockOptions.options().timeout(Duration.ofSeconds(6)).autoRenew(false)));
		line.add(stand(locks, LockOptions.options().timeout(Duration.ofSeconds(60)).autoRenew(false)));
		line.add(stand(locks, LockOptions.options().timeout(Duration.ofSeconds(6))));

		held.close();

		// At first a claim, which is extended when half of it is over.
		LockHandle longest = get(line.get(0)).lock();
		Instances.await("full lease").until(() -> longest.remaining().compareTo(Duration.ofSeconds(50)) > 0);
		assertThat(this.instances.timeToLive("job")).isBetween(50_000L, 63_000L);
		longest.close();

		LockHandle shorter = get(line.get(1)).lock();
		assertThat(shorter.remaining()).isLessThan(Duration.ofSeconds(6));
		assertThat(this.instances.timeToLive("job")).isLessThanOrEqualTo(6_300L);
		assertThat(shorter.fencingToken()).isGreaterThan(longest.fencingToken());
		shorter.close();

		LockHandle once = get(line.get(2)).lock();
		Instances.await("full lease").until(() -> once.remaining().compareTo(Duration.ofSeconds(50)) > 0);
		assertThat(once.remaining()).isLessThan(Duration.ofSeconds(60));
		assertThat(this.instances.timeToLive("job")).isBetween(50_000L, 63_000L);
		once.close();

		LockHandle renewed = get(line.get(3)).lock();
		for (int renewal = 0; renewal < 2; renewal++) {
			// Renewed when a third of the lease is over.
			Instances.await("time for a renewal").until(() -> renewed.remaining().compareTo(Duration.ofSeconds(5)) < 0);
			Instances.await("renewed").until(() -> renewed.remaining().compareTo(Duration.ofSeconds(5)) > 0);
			assertThat(this.instances.timeToLive("job")).isLessThanOrEqualTo(6_300L);
		}
		renewed.close();
		this.instances.requireNoLoss();
		assertThat(this.instances.keysInUse("job")).isEmpty();
	}

	@Test
	void leaseWithoutRenewalHasItsFullLengthAfterAHandOver() {
		LockHandle held = this.instances.start().acquire(LockTarget.of("job"), PATIENT);
		CompletableFuture<Served> waiter = this.instances.queue(this.instances.start(), "job",
				LockOptions.options().timeout(Duration.ofSeconds(3)).autoRenew(false).waitTime(Duration.ofMinutes(1)));
		this.instances.awaitTold("job");

		held.close();

		Served served = get(waiter);
		Instances.work(Duration.ofMillis(2_300));
		assertThat(served.lock().isHeld()).isTrue();
		Instances.work(Duration.ofMillis(1_000));
		assertThat(served.lock().isHeld()).isFalse();
		Instances.await("end of the key").until(() -> this.instances.keysInUse("job").isEmpty());
	}

	@Test
	void callerSuppliedOwnerTokenIsUsedOnlyForItsHolder() {
		LockHandle held = this.instances.start().acquire(LockTarget.of("job"), PATIENT);
		RedisLockTemplate locks = this.instances.start();
		CompletableFuture<Served> usual = stand(locks, PATIENT);
		Instances.await("place in the queue").until(() -> this.instances.queueLength("job") == 1);
		CompletableFuture<Served> own = this.instances.queue(locks, "job", PATIENT.owner("mine"));

		held.close();

		LockHandle first = get(usual).lock();
		assertThat(first.owner()).isNotEqualTo("mine");
		assertThat(own).isNotDone();
		first.close();
		LockHandle second = get(own).lock();
		assertThat(second.owner()).isEqualTo("mine");
		assertThat(this.instances.redis.command("GET", FaultyNetwork.key("job"))).isEqualTo("mine");
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		second.close();
		assertThat(this.instances.keysInUse("job")).isEmpty();
	}

	@Test
	void minimumTimeAppliesOnlyToTheHolderThatRequestedIt() {
		LockHandle held = this.instances.start().acquire(LockTarget.of("job"), PATIENT);
		RedisLockTemplate locks = this.instances.start();
		CompletableFuture<Served> keeper = this.instances.queue(locks, "job",
				PATIENT.atLeastFor(Duration.ofSeconds(2)));
		CompletableFuture<Served> next = this.instances.queue(locks, "job", PATIENT);

		held.close();
		Served first = get(keeper);
		first.lock().close();

		assertThat(locks.tryAcquire(LockTarget.of("job"), ONCE)).isNull();
		Served second = get(next);
		assertThat(second.since(first.at())).isGreaterThan(Duration.ofMillis(1_900));
		second.lock().close();
		assertThat(this.instances.keysInUse("job")).isEmpty();
	}

	@Test
	void waiterThatNeverExpiresGetsALockWithoutExpiry() {
		LockHandle held = this.instances.start().acquire(LockTarget.of("job"), PATIENT);
		RedisLockTemplate locks = this.instances.start();
		CompletableFuture<Served> endless = this.instances.queue(locks, "job", PATIENT.neverExpires());
		CompletableFuture<Served> next = this.instances.queue(locks, "job", PATIENT);

		held.close();

		LockHandle first = get(endless).lock();
		assertThat(this.instances.timeToLive("job")).isEqualTo(-1);
		first.close();
		LockHandle second = get(next).lock();
		assertThat(this.instances.timeToLive("job")).isPositive();
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		second.close();
		assertThat(this.instances.keysInUse("job")).isEmpty();
	}

	/**
	 * Begin to wait behind the other waiters of the same instance.
	 */
	private CompletableFuture<Served> stand(RedisLockTemplate locks, LockOptions options) {
		int before = Instances.waiting(locks);
		CompletableFuture<Served> served = new CompletableFuture<>();
		Thread caller = new Thread(() -> {
			LockHandle lock = locks.acquire(LockTarget.of("job"), options.waitTime(Duration.ofMinutes(1)));
			// This thread ends before the test continues with the lock.
			lock.detach();
			served.complete(new Served(lock, System.nanoTime()));
		});
		caller.setDaemon(true);
		caller.start();
		Instances.awaitInLine(locks, caller, before + 1);
		return served;
	}

}
