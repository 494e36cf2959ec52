package io.github.redislock.observation;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.github.redislock.LockListener;
import io.github.redislock.LockTarget;
import io.github.redislock.leadership.Leadership;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Measures locks: how many callers wait, how many locks are held and for how long, where
 * acquired locks came from, how often leases are renewed, and how often locks are lost.
 * <p>
 * The number of meters is limited, however many keys there are. Locks are counted by
 * their {@linkplain LockTarget#metricName() metric name}. Locks without such a name are
 * counted together as {@code other}, and so are locks whose name is neither
 * {@linkplain #declare declared} nor among the first two hundred undeclared names.
 * <p>
 * Also measures {@linkplain #measure leadership}. Thread-safe.
 */
public final class LockMeterListener implements LockListener {

	private final MeterRegistry registry;

	private final LockTags tags;

	private final ConcurrentMap<Counted, LockMeters> meters = new ConcurrentHashMap<>();

	/**
	 * Create a listener.
	 * @param registry the registry of the meters
	 */
	public LockMeterListener(MeterRegistry registry) {
		this(registry, new LockTags());
	}

	/**
	 * Create a listener that shares its names of locks with a listener that observes
	 * waits, so that both use the same name for a lock, and a problem with names is not
	 * logged twice.
	 * @param registry the registry of the meters
	 * @param observations the listener that observes waits
	 */
	public LockMeterListener(MeterRegistry registry, LockObservationListener observations) {
		this(registry, observations.tags());
	}

	private LockMeterListener(MeterRegistry registry, LockTags tags) {
		this.registry = registry;
		this.tags = tags;
	}

	/**
	 * Register the meters of a lock, except for cache misses, with a value of zero,
	 * before any caller requests it.
	 * @param example the lock, or any lock with the same metric name
	 */
	public void declare(LockTarget example) {
		this.tags.declare(example);
		meters(example);
	}

	@Override
	public LockListener acquiring(LockTarget target) {
		// The returned listener receives the events of this wait and its hold.
		return meters(target).acquiring();
	}

	/**
	 * Count a miss of a cache whose values are loaded under a lock.
	 * @param lock the lock of the value
	 * @param outcome how the miss ended, as the value of a tag
	 */
	public void missed(LockTarget lock, String outcome) {
		meters(lock).missed(outcome);
	}

	/**
	 * Measure whether this instance leads a role, how often it became the leader, and how
	 * many calls it {@linkplain #countSkipped skipped}. Call it on one listener of each
	 * registry, because each call counts.
	 * @param leadership the leadership of one role
	 */
	public void measure(Leadership leadership) {
		Gauge.builder("redis.lock.leadership.leader", leadership, (each) -> each.isLeader() ? 1 : 0)
			.description("1 while this instance leads, otherwise 0")
			.tag("role", leadership.role())
			.strongReference(true)
			.register(this.registry);
		Counter grants = Counter.builder("redis.lock.leadership.grants")
			.description("How often this instance became the leader")
			.tag("role", leadership.role())
			.register(this.registry);
		leadership.onGranted((term) -> grants.increment());
		skipped(leadership.role());
	}

	/**
	 * Count a call that was skipped.
	 * @param role the role that this instance does not lead
	 */
	public void countSkipped(String role) {
		skipped(role).increment();
	}

	private Counter skipped(String role) {
		return Counter.builder("redis.lock.leadership.skipped")
			.description("Calls that were skipped because this instance did not lead")
			.tag("role", role)
			.register(this.registry);
	}

	private LockMeters meters(LockTarget target) {
		Counted counted = new Counted(this.tags.lock(target), target.mode());
		LockMeters known = this.meters.get(counted);
		return (known != null) ? known : this.meters.computeIfAbsent(counted,
				(fresh) -> new LockMeters(this.registry, fresh.lock(), fresh.mode()));
	}

	/**
	 * Locks that are counted together.
	 */
	private record Counted(String lock, String mode) {
	}

}
