package io.github.redislock.observation;

import io.github.redislock.LockListener;
import io.github.redislock.LockTarget;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Observes how callers wait for locks: a timer of the waits, a long-task timer of those
 * that go on, and a span in the caller's trace.
 * <p>
 * The span has ended when the work begins, which goes on in the span of the caller.
 *
 * @see LockObservationDocumentation#ACQUIRE
 */
public final class LockObservationListener implements LockListener {

	static final LockObservationConvention DEFAULT_CONVENTION = new DefaultLockObservationConvention();

	private final ObservationRegistry registry;

	private final @Nullable LockObservationConvention convention;

	private final LockTags tags = new LockTags();

	/**
	 * Create a listener.
	 * @param registry where to observe
	 * @param convention names and tags, or {@code null} for those of the registry or
	 * {@link DefaultLockObservationConvention}
	 */
	public LockObservationListener(ObservationRegistry registry, @Nullable LockObservationConvention convention) {
		this.registry = registry;
		this.convention = convention;
	}

	/**
	 * Let waits for a lock be counted by its metric name, however many there are.
	 * @param example the lock, or one of those with that metric name
	 */
	public void declare(LockTarget example) {
		String name = example.metricName();
		if (name != null) {
			this.tags.declare(name);
		}
	}

	/**
	 * Return the names by which locks are counted.
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
		Observation observation = LockObservationDocumentation.ACQUIRE.observation(this.convention, DEFAULT_CONVENTION,
				() -> context, this.registry);
		if (observation.isNoop()) {
			return null;
		}
		observation.start();
		return new ObservedAcquisition(observation, context);
	}

}
