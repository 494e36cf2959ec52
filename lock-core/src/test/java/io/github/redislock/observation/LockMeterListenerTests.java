package io.github.redislock.observation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.testing.LogRecorder;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LockMeterListenerTests {

	private static final LockTarget STOCK = LockTarget.of("stock", "book");

	private static final LockOptions WAIT = LockOptions.options()
		.timeout(Duration.ofSeconds(30))
		.waitTime(Duration.ofSeconds(5));

	private static final LockOptions NO_WAIT = LockOptions.options().retry(0);

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final MockClock clock = new MockClock();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, this.clock);

	private final ManualLockTimer timer = new ManualLockTimer();

	private final FailingStore store = new FailingStore(new InMemoryLockStore(this.timer));

	private final LockMeterListener listener = new LockMeterListener(this.registry);

	private final LockTemplate locks = new LockTemplate(this.store,
			LockConfiguration.defaults().timer(this.timer).listener(this.listener));

	@AfterEach
	void close() {
		this.store.failing = false;
		this.locks.close();
	}

	@Test
	void tenThousandKeysCreateNoMoreMetersThanOne() {
		acquireAndRelease(LockTarget.of("order", 0));
		List<Meter> ofOne = this.registry.getMeters();

		for (int key = 1; key < 10_000; key++) {
			acquireAndRelease(LockTarget.of("order", key));
		}

		assertThat(this.registry.getMeters()).hasSameSizeAs(ofOne);
		assertThat(timer("order", "released").count()).isEqualTo(10_000);
	}

	@Test
	void plainNamesShareOneSetOfMeters() {
		acquireAndRelease(LockTarget.of("order:0"));
		List<Meter> ofOne = this.registry.getMeters();

		for (int key = 1; key < 1_000; key++) {
			acquireAndRelease(LockTarget.of("order:" + key));
		}

		assertThat(this.registry.getMeters()).hasSameSizeAs(ofOne);
		assertThat(timer("other", "released").count()).isEqualTo(1_000);
	}

	@Test
	void plainNameCausesOneHint() {
		try (LogRecorder log = LogRecorder.debugOf(LockTags.class.getName())) {
			acquireAndRelease(LockTarget.of("order:0"));
			acquireAndRelease(LockTarget.of("order:1"));

			assertThat(log.lines()).singleElement()
				.asString()
				.startsWith("INFO Metrics count lock 'order:0' as 'other'");
		}
	}

	@Test
	void namesBuiltFromKeysAreLimitedAndReportedOnce() {
		try (LogRecorder log = LogRecorder.warningsOf(LockTags.class.getName())) {
			for (int key = 0; key < 300; key++) {
				acquireAndRelease(LockTarget.of("order-" + key, "total"));
			}

			assertThat(this.registry.find("redis.lock.losses").meters()).hasSize(201);
			assertThat(counter("redis.lock.hand.overs", "other", "from", "none")).isEqualTo(100);
			assertThat(log.text()).containsOnlyOnce("200 undeclared names, so 'order-200'");
		}
	}

	@Test
	void declaredNamesAreNotSubjectToTheNameLimit() {
		IntStream.range(0, 250).forEach((i) -> this.listener.declare(LockTarget.of("declared-" + i, "key")));

		acquireAndRelease(LockTarget.of("declared-249", 1));

		assertThat(timer("declared-249", "released").count()).isOne();
	}

	@Test
	void declaredNamesDoNotCountTowardsTheNameLimit() {
		IntStream.range(0, 250).forEach((i) -> this.listener.declare(LockTarget.of("declared-" + i, "key")));

		for (int key = 0; key < 201; key++) {
			acquireAndRelease(LockTarget.of("order-" + key, "total"));
		}

		assertThat(timer("order-199", "released").count()).isOne();
		assertThat(timer("other", "released").count()).isOne();
	}

	@Test
	void nameDeclaredLaterNoLongerCountsTowardsTheNameLimit() {
		acquireAndRelease(LockTarget.of("late", 1));
		this.listener.declare(LockTarget.of("late", 1));

		for (int key = 0; key < 201; key++) {
			acquireAndRelease(LockTarget.of("order-" + key, "total"));
		}

		assertThat(timer("order-199", "released").count()).isOne();
		assertThat(timer("other", "released").count()).isOne();
	}

	@Test
	void fixedNamesAreCountedByThemselvesWithoutAHintUpToTheNameLimit() {
		try (LogRecorder log = LogRecorder.debugOf(LockTags.class.getName())) {
			for (int name = 0; name < 201; name++) {
				this.locks.execute("fixed-" + name, () -> {
				});
			}

			assertThat(timer("fixed-199", "released").count()).isOne();
			assertThat(timer("other", "released").count()).isOne();
			assertThat(log.text()).contains("200 undeclared names, so 'fixed-200'").doesNotContain("plain-text name");
		}
	}

	@Test
	void targetIsCountedUnderItsMetricName() {
		acquireAndRelease(LockTarget.of("nightly").withMetricName("reports"));

		assertThat(timer("reports", "released").count()).isOne();
	}

	@Test
	void declaredLockHasAllMetersExceptCacheMissesBeforeItsFirstUse() {
		this.listener.declare(STOCK);

		assertThat(this.registry.find("redis.lock.cache.misses").meters()).isEmpty();
		assertThat(this.registry.getMeters()).extracting((meter) -> meter.getId().getName())
			.contains("redis.lock.waiters", "redis.lock.held", "redis.lock.usage", "redis.lock.hand.overs",
					"redis.lock.timeouts", "redis.lock.refusals", "redis.lock.renewals", "redis.lock.losses");
		assertThat(counter("redis.lock.losses", "stock")).isZero();
	}

	@Test
	void waitersGaugeCountsCurrentWaiters() {
		LockHandle lock = this.locks.acquire(STOCK);
		List<CompletableFuture<AsyncLockHandle>> waiting = IntStream.range(0, 3)
			.mapToObj((i) -> this.locks.async().acquire(STOCK, WAIT))
			.toList();

		assertThat(waiters()).isEqualTo(3);
		waiting.get(0).cancel(true);
		assertThat(waiters()).isEqualTo(2);
		this.timer.advance(Duration.ofSeconds(6));
		assertThat(waiters()).isZero();
		assertThat(counter("redis.lock.timeouts", "stock")).isEqualTo(2);
		lock.close();
	}

	@Test
	void waitersOfTwoTemplatesWithOneRegistryAddUp() {
		LockConfiguration configuration = LockConfiguration.defaults()
			.timer(this.timer)
			.listener(new LockMeterListener(this.registry));
		try (LockTemplate others = new LockTemplate(new InMemoryLockStore(this.timer), configuration);
				LockHandle own = this.locks.acquire(STOCK);
				LockHandle other = others.acquire(STOCK)) {
			CompletableFuture<AsyncLockHandle> waiting = this.locks.async().acquire(STOCK, WAIT);
			CompletableFuture<AsyncLockHandle> alsoWaiting = others.async().acquire(STOCK, WAIT);

			assertThat(waiters()).isEqualTo(2);
			waiting.cancel(true);
			assertThat(waiters()).isOne();
			alsoWaiting.cancel(true);
			assertThat(waiters()).isZero();
			assertThat(own.isHeld()).isTrue();
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void callerRefusedAtOnceIsNeitherAWaiterNorATimeout() {
		LockHandle lock = this.locks.acquire(STOCK);
		this.locks.async().acquire(STOCK, WAIT);

		assertThat(this.locks.async().acquire(STOCK, WAIT.maxWaiters(1))).failsWithin(PATIENCE);

		assertThat(waiters()).isOne();
		assertThat(counter("redis.lock.timeouts", "stock")).isZero();
		assertThat(counter("redis.lock.refusals", "stock")).isOne();
		lock.close();
	}

	@Test
	void failedAcquisitionIsNeitherAWaiterNorATimeout() {
		this.store.failing = true;

		assertThat(this.locks.async().acquire(STOCK, NO_WAIT)).failsWithin(PATIENCE);

		assertThat(waiters()).isZero();
		assertThat(counter("redis.lock.timeouts", "stock")).isZero();
	}

	@Test
	void heldTimerRunsUntilTheRelease() {
		LockHandle lock = this.locks.acquire(STOCK);
		this.clock.add(Duration.ofSeconds(7));

		assertThat(held().activeTasks()).isOne();
		assertThat(held().max(TimeUnit.SECONDS)).isEqualTo(7);
		lock.close();
		assertThat(held().activeTasks()).isZero();
	}

	@Test
	void usageTimerCoversGrantToRelease() {
		LockHandle lock = this.locks.acquire(STOCK);
		this.timer.advance(Duration.ofSeconds(7));
		lock.close();

		assertThat(timer("stock", "released").totalTime(TimeUnit.SECONDS)).isEqualTo(7);
	}

	@Test
	void handOverWithinTheProcessIsCounted() throws Exception {
		LockHandle lock = this.locks.acquire(STOCK);
		CompletableFuture<AsyncLockHandle> next = this.locks.async().acquire(STOCK, WAIT);
		lock.close();
		next.get(20, TimeUnit.SECONDS).release();

		assertThat(counter("redis.lock.hand.overs", "stock", "from", "none")).isOne();
		assertThat(counter("redis.lock.hand.overs", "stock", "from", "local")).isOne();
		assertThat(counter("redis.lock.hand.overs", "stock", "from", "remote")).isZero();
	}

	@Test
	void renewalsAreCounted() {
		LockHandle lock = this.locks.acquire(STOCK, WAIT);
		this.timer.advance(Duration.ofSeconds(10));
		assertThat(counter("redis.lock.renewals", "stock", "outcome", "renewed")).isOne();

		this.store.failing = true;
		this.timer.advance(Duration.ofSeconds(10));
		assertThat(counter("redis.lock.renewals", "stock", "outcome", "failed")).isPositive();

		this.store.failing = false;
		this.timer.advance(Duration.ofSeconds(9));
		lock.close();
		assertThat(counter("redis.lock.losses", "stock")).isZero();
	}

	@Test
	void lostLockEndsTheHeldTimerAndIsRecordedAsLost() {
		LockHandle lock = this.locks.acquire(STOCK, WAIT);
		this.locks.forceRelease(STOCK);
		assertThat(lock.verify()).isFalse();

		assertThat(counter("redis.lock.losses", "stock")).isOne();
		assertThat(held().activeTasks()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		assertThat(held().activeTasks()).isZero();
		assertThat(timer("stock", "lost").count()).isOne();
		assertThat(counter("redis.lock.losses", "stock")).isOne();
	}

	@Test
	void sharingModesAreCountedSeparately() {
		this.locks.acquire(LockTarget.of("price", 1).forReading()).close();
		this.locks.acquire(LockTarget.of("price", 1).permits(3)).close();
		this.locks.acquire(LockTarget.of("price", 1)).close();

		assertThat(this.registry.find("redis.lock.losses").tag("lock", "price").meters())
			.extracting((meter) -> meter.getId().getTag("mode"))
			.containsExactlyInAnyOrder("read", "permit", "exclusive");
	}

	@Test
	void reenteredLockIsCountedAsHeldOnce() {
		LockHandle outer = this.locks.acquire(STOCK);
		LockHandle inner = this.locks.acquire(STOCK);

		assertThat(held().activeTasks()).isOne();
		inner.close();
		assertThat(held().activeTasks()).isOne();
		outer.close();
		assertThat(timer("stock", "released").count()).isOne();
	}

	private void acquireAndRelease(LockTarget target) {
		this.locks.acquire(target).close();
	}

	private double waiters() {
		Gauge gauge = this.registry.get("redis.lock.waiters").tag("lock", "stock").gauge();
		return gauge.value();
	}

	private LongTaskTimer held() {
		return this.registry.get("redis.lock.held").tag("lock", "stock").longTaskTimer();
	}

	private Timer timer(String lock, String outcome) {
		return this.registry.get("redis.lock.usage").tags("lock", lock, "outcome", outcome).timer();
	}

	private double counter(String name, String lock, String... tags) {
		Counter counter = this.registry.get(name).tag("lock", lock).tags(tags).counter();
		return counter.count();
	}

}
