package io.github.redislock.observation;

import io.github.redislock.LockListener;
import io.github.redislock.LockTarget;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Observes how callers wait for locks, with a timer for waits, a long-task timer for
 * current waits, and a span in the caller's trace.
 * <p>
 * The span ends before the work begins. Re-entering a lock is not observed.
 *
 * @see DefaultLockObservationConvention
 */
public final class LockObservationListener implements LockListener {

	private static final LockObservationConvention DEFAULT_CONVENTION = new DefaultLockObservationConvention();

	private final ObservationRegistry registry;

	private final @Nullable LockObservationConvention convention;

	private final LockTags tags = new LockTags();

	/**
	 * Create a listener.
	 * @param registry the registry of the observations
	 * @param convention the names and tags, or {@code null} to use the convention of the
	 * registry or {@link DefaultLockObservationConvention}
	 */
	public LockObservationListener(ObservationRegistry registry, @Nullable LockObservationConvention convention) {
		this.registry = registry;
		this.convention = convention;
	}

	/**
	 * Make sure that waits for a lock are counted by its metric name, even if the limit
	 * for undeclared names is reached.
	 * @param example the lock, or any lock with the same metric name
	 */
	public void declare(LockTarget example) {
		this.tags.declare(example);
	}

	/**
	 * Make asynchronous work under a lock run in its caller's observation, so the work
	 * belongs to the caller's span and its log lines have the caller's trace ID.
	 * @param task the work, as submitted by its caller's thread
	 * @return the work, in the observation of the current thread
	 * @see io.github.redislock.LockConfiguration#taskDecorator
	 */
	public Runnable decorate(Runnable task) {
		Observation present = this.registry.getCurrentObservation();
		return (present != null) ? () -> present.scoped(task) : task;
	}

	/**
	 * Return the names of locks, to share them with other listeners.
	 */
	LockTags tags() {
		return this.tags;
	}

	@Override
	public @Nullable LockListener acquiring(LockTarget target) {
		if (this.registry.isNoop()) {
			return null;
		}
		LockAcquireContext context = new LockAcquireContext(target, this.tags.lock(target));
		// A convention may leave the name out.
		context.setName(DefaultLockObservationConvention.NAME);
		Observation observation = Observation.createNotStarted(this.convention, DEFAULT_CONVENTION, () -> context,
				this.registry);
		if (observation.isNoop()) {
			return null;
		}
		observation.start();
		// The returned listener receives the event that ends the wait.
		return new ObservedAcquisition(observation, context);
	}

}
