package io.github.redislock.observation;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.github.redislock.LockListener;
import io.github.redislock.LockTarget;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Measures what becomes of locks: how many are held and waited for, for how long, from
 * whom they come, how their leases are renewed, and whether any is lost.
 * <p>
 * Their number is limited, whatever the keys: locks are counted by their
 * {@linkplain LockTarget#metricName() metric name}; all that have none, and those with a
 * name that is neither {@linkplain #declare declared} nor among the first two hundred,
 * are counted together as {@code other}.
 *
 * @see LockMeterDocumentation
 */
public final class LockMeterListener implements LockListener {

	private final MeterRegistry registry;

	private final LockTags tags;

	private final ConcurrentMap<Counted, LockMeters> meters = new ConcurrentHashMap<>();

	/**
	 * Create a listener.
	 * @param registry where to measure
	 */
	public LockMeterListener(MeterRegistry registry) {
		this(registry, new LockTags());
	}

	/**
	 * Create a listener beside one that observes waits: both count a lock by the same
	 * name, and what there is to be logged about names is logged once.
	 * @param registry where to measure
	 * @param observations the other one
	 */
	public LockMeterListener(MeterRegistry registry, LockObservationListener observations) {
		this(registry, observations.tags());
	}

	private LockMeterListener(MeterRegistry registry, LockTags tags) {
		this.registry = registry;
		this.tags = tags;
	}

	/**
	 * Let meters be there, all at zero, before anybody has asked for a lock.
	 * @param example the lock, or one of those with its metric name
	 */
	public void declare(LockTarget example) {
		String name = example.metricName();
		if (name != null) {
			this.tags.declare(name);
		}
		meters(example);
	}

	@Override
	public LockListener acquiring(LockTarget target) {
		return new MeteredLock(meters(target));
	}

	private LockMeters meters(LockTarget target) {
		Counted counted = new Counted(this.tags.lock(target), LockTags.mode(target));
		LockMeters known = this.meters.get(counted);
		return (known != null) ? known : this.meters.computeIfAbsent(counted,
				(fresh) -> new LockMeters(this.registry, fresh.lock(), fresh.mode()));
	}

	/**
	 * What is counted together.
	 */
	private record Counted(String lock, String mode) {
	}

}
