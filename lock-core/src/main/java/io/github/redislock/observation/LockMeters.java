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
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.observation.LockObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

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
		this.renewals = counter(LockMeterDocumentation.RENEWALS, "renewed");
		this.failedRenewals = counter(LockMeterDocumentation.RENEWALS, "failed");
		this.losses = counter(LockMeterDocumentation.LOSSES, this.tags);
	}

	void waiting() {
		this.waiters.incrementAndGet();
	}

	void waitsNoMore() {
		this.waiters.decrementAndGet();
	}

	/**
	 * Count a lock that was acquired.
	 * @return a sample to stop when the lock is no longer held
	 */
	LongTaskTimer.Sample acquired(HandOverKind from) {
		Objects.requireNonNull(this.handOvers.get(from)).increment();
		return this.held.start();
	}

	void released(ReleaseOutcome outcome, Duration held) {
		Timer timer = this.usage.get(outcome);
		if (timer != null) {
			timer.record(held);
		}
	}

	void timedOut() {
		this.timeouts.increment();
	}

	void renewed() {
		this.renewals.increment();
	}

	void renewalFailed() {
		this.failedRenewals.increment();
	}

	void lost() {
		this.losses.increment();
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

}
