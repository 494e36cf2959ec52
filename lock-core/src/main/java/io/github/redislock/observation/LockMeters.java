package io.github.redislock.observation;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LockException;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The meters of all locks that are counted together. Thread-safe.
 */
final class LockMeters {

	/**
	 * The counts behind the gauges. All listeners of a registry share them, because the
	 * registry keeps only the gauge that was registered first.
	 */
	private static final Map<MeterRegistry, ConcurrentMap<Tags, AtomicInteger>> WAITERS = Collections
		.synchronizedMap(new WeakHashMap<>());

	private final MeterRegistry registry;

	private final Tags tags;

	private final AtomicInteger waiters;

	private final LongTaskTimer held;

	private final Map<ReleaseOutcome, Timer> usage = new EnumMap<>(ReleaseOutcome.class);

	private final Map<HandOverKind, Counter> handOvers = new EnumMap<>(HandOverKind.class);

	private final Counter timeouts;

	private final Counter refusals;

	private final Counter renewals;

	private final Counter failedRenewals;

	private final Counter losses;

	LockMeters(MeterRegistry registry, String lock, String mode) {
		this.registry = registry;
		this.tags = Tags.of("lock", lock, "mode", mode);
		this.waiters = WAITERS.computeIfAbsent(registry, (first) -> new ConcurrentHashMap<>())
			.computeIfAbsent(this.tags, (first) -> new AtomicInteger());
		Gauge.builder("redis.lock.waiters", this.waiters, AtomicInteger::get)
			.description("Callers of this instance that are waiting for a lock")
			.tags(this.tags)
			.strongReference(true)
			.register(registry);
		this.held = LongTaskTimer.builder("redis.lock.held")
			.description("Locks that this instance currently holds")
			.tags(this.tags)
			.register(registry);
		this.usage.put(ReleaseOutcome.RELEASED, usage("released"));
		this.usage.put(ReleaseOutcome.NOT_HELD, usage("lost"));
		this.usage.put(ReleaseOutcome.UNKNOWN, usage("unknown"));
		for (HandOverKind from : HandOverKind.values()) {
			this.handOvers.put(from, counter("redis.lock.hand.overs", "Where acquired locks came from", "from",
					from.name().toLowerCase(Locale.ROOT)));
		}
		this.timeouts = counter("redis.lock.timeouts", "Callers that did not get a lock within their waiting time");
		this.refusals = counter("redis.lock.refusals",
				"Callers that were refused at once because too many were waiting");
		this.renewals = renewals("renewed");
		this.failedRenewals = renewals("failed");
		this.losses = counter("redis.lock.losses", "Locks that were lost while they were held");
	}

	/**
	 * Count a caller that begins to wait.
	 * @return a listener that measures this wait and the hold that follows
	 */
	LockListener acquiring() {
		this.waiters.incrementAndGet();
		return new MeteredLock();
	}

	void missed(String outcome) {
		counter("redis.lock.cache.misses", "Misses of caches whose values are loaded under a lock", "outcome", outcome)
			.increment();
	}

	private Timer usage(String outcome) {
		return Timer.builder("redis.lock.usage")
			.description("How long locks were held, from the grant to the release")
			.tags(this.tags.and("outcome", outcome))
			.register(this.registry);
	}

	private Counter renewals(String outcome) {
		return counter("redis.lock.renewals", "Automatic renewals of leases", "outcome", outcome);
	}

	private Counter counter(String name, String description, String... more) {
		return Counter.builder(name).description(description).tags(this.tags.and(more)).register(this.registry);
	}

	/**
	 * Measures one caller's wait for a lock and its hold.
	 */
	private final class MeteredLock implements LockListener {

		private volatile LongTaskTimer.@Nullable Sample hold;

		@Override
		public void acquired(HeldLock lock, Duration waited, HandOverKind from) {
			LockMeters.this.waiters.decrementAndGet();
			Objects.requireNonNull(LockMeters.this.handOvers.get(from)).increment();
			this.hold = LockMeters.this.held.start();
		}

		@Override
		public void refused(LockTarget target, Duration waited, int waitingCallers) {
			LockMeters.this.waiters.decrementAndGet();
			((waitingCallers > 0) ? LockMeters.this.refusals : LockMeters.this.timeouts).increment();
		}

		@Override
		public void failed(LockException failure, Duration waited) {
			LockMeters.this.waiters.decrementAndGet();
		}

		@Override
		public void renewed(HeldLock lock) {
			LockMeters.this.renewals.increment();
		}

		@Override
		public void renewalFailed(HeldLock lock, LockStoreException failure) {
			LockMeters.this.failedRenewals.increment();
		}

		@Override
		public void lost(HeldLock lock, LockLostException loss) {
			LockMeters.this.losses.increment();
			stop();
		}

		@Override
		public void released(HeldLock lock, ReleaseOutcome outcome, Duration held) {
			Timer timer = LockMeters.this.usage.get(outcome);
			if (timer != null) {
				timer.record(held);
			}
			stop();
		}

		/**
		 * Stop measuring the hold. After a loss, the later release calls this method
		 * again.
		 */
		private void stop() {
			LongTaskTimer.Sample running = this.hold;
			if (running != null) {
				this.hold = null;
				running.stop();
			}
		}

	}

}
