package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.FiveMasters;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * The loss of two of five servers has no effect; the loss of three is an outage.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-quorum")
class QuorumOutageTests {

	private static final LockTarget JOB = LockTarget.of("job");

	private static final Duration NODE_TIMEOUT = Duration.ofSeconds(1);

	/** For a busy machine. */
	private static final Duration MARGIN = Duration.ofSeconds(10);

	private static final Duration LEASE = Duration.ofSeconds(4);

	private static final LockOptions PATIENT = LockOptions.options().timeout(LEASE).waitTime(Duration.ofSeconds(30));

	private static final LockOptions ONCE = LockOptions.options().timeout(LEASE).retry(0);

	private final FiveMasters masters = FiveMasters.start();

	private final RedisLockTemplate locks = template(Duration.ZERO);

	@AfterEach
	void stop() {
		this.masters.close();
		this.locks.close();
	}

	@ParameterizedTest
	@MethodSource("losses")
	void lossOfAMinorityGoesUnnoticed(Loss loss) {
		warmUp(this.locks);
		LockHandle held = this.locks.acquire(LockTarget.of("held"), PATIENT);
		long begin = System.nanoTime();

		this.masters.first(2).forEach(loss.cause);

		for (int round = 0; round < Effort.of(8, 20); round++) {
			LockHandle lock = this.locks.acquire(JOB, PATIENT);
			assertThat(lock.verify()).isTrue();
			assertThat(this.locks.inspect(JOB).orElseThrow().owner()).isEqualTo(lock.owner());
			assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
		}
		Awaitility.await("longer than the lease, renewed")
			.atMost(LEASE.multipliedBy(4))
			.until(() -> System.nanoTime() - begin > LEASE.multipliedBy(3).dividedBy(2).toNanos());
		assertThat(held.isHeld()).isTrue();
		assertThat(held.verify()).isTrue();
		assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	@Tag("thorough")
	void serversThatComeBackTakePartAgain() {
		warmUp(this.locks);
		this.masters.first(2).forEach(RedisProcess::kill);
		LockHandle held = this.locks.acquire(JOB, PATIENT);

		this.masters.first(2).forEach(RedisProcess::restart);
		this.masters.nodes().subList(2, 4).forEach(RedisProcess::kill);

		Awaitility.await("the others again")
			.atMost(MARGIN.multipliedBy(2))
			.ignoreExceptions()
			.until(() -> this.locks.acquire(LockTarget.of("another"), ONCE).release() == ReleaseOutcome.RELEASED);
		assertThat(held).isNotNull();
	}

	@Test
	void holderLearnsAtOnceThatAMajorityIsBackWithoutItsLock() {
		LockHandle held = this.locks.acquire(JOB, PATIENT.timeout(Duration.ofMinutes(10)));
		Awaitility.await("subscribed")
			.atMost(MARGIN)
			.untilAsserted(() -> assertThat(this.masters.nodes())
				.allMatch((node) -> String.valueOf(node.command("PUBSUB", "NUMSUB", "distributed_lock:inbox:all"))
					.contains(" 1]")));

		this.masters.first(3).forEach(RedisProcess::kill);
		this.masters.first(3).forEach(RedisProcess::restart);

		Awaitility.await("loss").atMost(MARGIN.multipliedBy(2)).until(() -> !held.isHeld());
	}

	@ParameterizedTest
	@MethodSource("losses")
	void lossOfTheMajorityIsReportedAsAnOutageInTime(Loss loss) {
		warmUp(this.locks);
		this.masters.first(3).forEach(loss.cause);
		Duration wait = Duration.ofMillis(700);
		long begin = System.nanoTime();

		LockStoreException failure = catchThrowableOfType(LockStoreException.class,
				() -> this.locks.acquire(JOB, ONCE.waitTime(wait)));

		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(wait.plus(NODE_TIMEOUT).plus(MARGIN));
		assertThat(failure)
			.hasMessageStartingWith("Lock 'job': acquire failed: 2 of 5 Redis nodes replied, and 3 are needed: ");
		this.masters.first(3).forEach((node) -> assertThat(failure).hasMessageContaining("127.0.0.1:" + node.port()));
		assertThat(failure.isRetryable()).isTrue();
		assertThat(failure.isOutcomeUnknown()).as("two have granted it").isTrue();
	}

	@ParameterizedTest
	@MethodSource("losses")
	void lockGrantedByAMinorityCanBeAcquiredAfterTheOutage(Loss loss) {
		warmUp(this.locks);
		this.masters.first(3).forEach(loss.cause);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.locks.acquire(JOB, ONCE));

		this.masters.first(3).forEach(loss.mend);

		RedisLockTemplate others = template(Duration.ZERO);
		others.acquire(JOB, LockOptions.options().timeout(LEASE).waitTime(MARGIN.multipliedBy(2))).close();
		others.close();
	}

	@ParameterizedTest
	@MethodSource("losses")
	void holderLosesItsLockIfTheMajorityIsLost(Loss loss) throws Exception {
		warmUp(this.locks);
		LockHandle held = this.locks.acquire(JOB, PATIENT);
		CompletableFuture<Long> lost = new CompletableFuture<>();
		held.onLost(() -> lost.complete(System.nanoTime()));
		long begin = System.nanoTime();

		this.masters.first(3).forEach(loss.cause);

		assertThat(held.isHeld()).isTrue();
		long end = lost.get(LEASE.plus(MARGIN).toSeconds(), TimeUnit.SECONDS);
		assertThat(Duration.ofNanos(end - begin)).isLessThan(LEASE.plus(MARGIN));
		assertThat(held.isHeld()).isFalse();
	}

	@Test
	void serversThatLostTheirDataDoNotGrantALockThatMayBeHeld() {
		Duration quarantine = LEASE.plusSeconds(1);
		// The servers appear to have had data for a long time.
		this.masters.nodes()
			.forEach((node) -> node.command("SET", "{distributed_lock:}:since",
					Long.toString(System.currentTimeMillis() - 600_000)));
		RedisLockTemplate holder = template(quarantine);
		RedisLockTemplate others = template(quarantine);
		warmUp(others);
		LockHandle held = holder.acquire(JOB, PATIENT.autoRenew(false));

		this.masters.first(3).forEach(QuorumOutageTests::restartWithoutData);

		int attempts = 0;
		while (held.isHeld()) {
			assertThat(tryAcquire(others)).isNull();
			attempts++;
		}
		assertThat(attempts).isPositive();
		LockHandle next = others.acquire(JOB, PATIENT);
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		others.close();
		holder.close();
	}

	/**
	 * Shows that only the quarantine prevents a second grant.
	 */
	@Test
	@Tag("thorough")
	void withoutQuarantineServersThatLostTheirDataGrantAHeldLock() {
		RedisLockTemplate others = template(Duration.ZERO);
		warmUp(others);
		LockHandle held = this.locks.acquire(JOB,
				LockOptions.options().timeout(Duration.ofMinutes(2)).waitTime(MARGIN).autoRenew(false));

		this.masters.first(3).forEach(QuorumOutageTests::restartWithoutData);

		LockHandle next = others.acquire(JOB, PATIENT);
		assertThat(next.fencingToken()).as("long before the first lease ended").isGreaterThan(held.fencingToken());
		others.close();
	}

	static Stream<Loss> losses() {
		return Effort.cases(Loss.FROZEN, Loss.KILLED, Loss.REFUSING);
	}

	private static @Nullable LockHandle tryAcquire(RedisLockTemplate locks) {
		try {
			return locks.tryAcquire(JOB, ONCE);
		}
		catch (LockStoreException ex) {
			return null;
		}
	}

	/**
	 * Connect to all servers. This may take longer than the lease, so the lock may be
	 * lost.
	 */
	private static void warmUp(RedisLockTemplate locks) {
		locks.acquire(LockTarget.of("warm-up"), PATIENT).release();
	}

	private static void restartWithoutData(RedisProcess node) {
		node.kill();
		node.restart();
	}

	private RedisLockTemplate template(Duration quarantine) {
		LockStore store = QuorumLockStore.create(List.copyOf(this.masters.connectionFactories()),
				RedisLockStoreOptions.quorum().commandTimeout(NODE_TIMEOUT).coldStartQuarantine(quarantine));
		return new RedisLockTemplate(store, LockConfiguration.defaults().closeWait(Duration.ZERO));
	}

	/**
	 * The way in which a server is lost.
	 */
	enum Loss {

		KILLED(RedisProcess::kill, RedisProcess::restart),

		FROZEN(RedisProcess::freeze, RedisProcess::thaw),

		REFUSING((node) -> node.command("REPLICAOF", "127.0.0.1", "1"),
				(node) -> node.command("REPLICAOF", "NO", "ONE"));

		private final Consumer<RedisProcess> cause;

		private final Consumer<RedisProcess> mend;

		Loss(Consumer<RedisProcess> cause, Consumer<RedisProcess> mend) {
			this.cause = cause;
			this.mend = mend;
		}

	}

}
