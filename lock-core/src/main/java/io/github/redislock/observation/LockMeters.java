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
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockStoreException;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.observation.LockObservationDocumentation.LowCardinalityKeyNames;
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
		this.tags = Tags.of(LowCardinalityKeyNames.LOCK.asString(), lock, LowCardinalityKeyNames.MODE.asString(), mode);
		this.waiters = WAITERS.computeIfAbsent(registry, (first) -> new ConcurrentHashMap<>())
			.computeIfAbsent(this.tags, (first) -> new AtomicInteger());
		Gauge.builder(LockMeterDocumentation.WAITERS.getName(), this.waiters, AtomicInteger::get)
			.description(LockMeterDocumentation.WAITERS.description())
			.tags(this.tags)
			.strongReference(true)
			.register(registry);
		this.held = LongTaskTimer.builder(LockMeterDocumentation.HELD.getName())
			.description(LockMeterDocumentation.HELD.description())
			.tags(this.tags)
			.register(registry);
		this.usage.put(ReleaseOutcome.RELEASED, usage("released"));
		this.usage.put(ReleaseOutcome.NOT_HELD, usage("lost"));
		this.usage.put(ReleaseOutcome.UNKNOWN, usage("unknown"));
		for (HandOverKind from : HandOverKind.values()) {
			this.handOvers.put(from, counter(LockMeterDocumentation.HAND_OVERS, from.name().toLowerCase(Locale.ROOT)));
		}
		this.timeouts = counter(LockMeterDocumentation.TIMEOUTS, this.tags);
		this.refusals = counter(LockMeterDocumentation.REFUSALS, this.tags);
		this.renewals = counter(LockMeterDocumentation.RENEWALS, "renewed");
		this.failedRenewals = counter(LockMeterDocumentation.RENEWALS, "failed");
		this.losses = counter(LockMeterDocumentation.LOSSES, this.tags);
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
		counter(LockMeterDocumentation.CACHE_MISSES, outcome).increment();
	}

	private Timer usage(String outcome) {
		return Timer.builder(LockMeterDocumentation.USAGE.getName())
			.description(LockMeterDocumentation.USAGE.description())
			.tags(this.tags.and(ownKey(LockMeterDocumentation.USAGE), outcome))
			.register(this.registry);
	}

	private Counter counter(LockMeterDocumentation meter, String value) {
		return counter(meter, this.tags.and(ownKey(meter), value));
	}

	private Counter counter(LockMeterDocumentation meter, Tags all) {
		return Counter.builder(meter.getName()).description(meter.description()).tags(all).register(this.registry);
	}

	private static String ownKey(LockMeterDocumentation meter) {
		return Objects.requireNonNull(meter.ownKey()).asString();
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
		public void refused(String lockName, Duration waited) {
			LockMeters.this.waiters.decrementAndGet();
			LockMeters.this.timeouts.increment();
		}

		@Override
		public void failed(LockException failure, Duration waited) {
			LockMeters.this.waiters.decrementAndGet();
			if (failure instanceof LockNotAcquiredException) {
				LockMeters.this.refusals.increment();
			}
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
