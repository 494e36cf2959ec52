package io.github.redislock.observation;

import java.util.Collection;
import java.util.List;

import io.github.redislock.LockTarget;
import io.github.redislock.observation.LockAcquireContext.Outcome;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationFilter;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationPredicate;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Registers the timers of waits for locks, at zero, before any caller waits.
 * <p>
 * An observation creates its timer when it ends. So this class ends observations in a
 * separate registry, which has the application's rules but counts nothing. They give the
 * timers their later tags.
 */
public final class AcquireTimers {

	private final ObservationRegistry rehearsals = ObservationRegistry.create();

	private final @Nullable LockObservationConvention convention;

	/**
	 * Create timers.
	 * @param registry the registry of the timers
	 * @param convention names and tags, or {@code null} for the default
	 * @param predicates decide which observations are made
	 * @param filters add to observations
	 * @param conventions names and tags of all kinds of observations
	 */
	public AcquireTimers(MeterRegistry registry, @Nullable LockObservationConvention convention,
			Collection<ObservationPredicate> predicates, Collection<ObservationFilter> filters,
			Collection<GlobalObservationConvention<?>> conventions) {
		this.convention = convention;
		ObservationRegistry.ObservationConfig rules = this.rehearsals.observationConfig();
		predicates.forEach(rules::observationPredicate);
		filters.forEach(rules::observationFilter);
		conventions.forEach(rules::observationConvention);
		rules.observationHandler(new Registration(registry));
	}

	/**
	 * Register the timers of a lock.
	 * @param example the lock, or one of those with its metric name
	 */
	public void declare(LockTarget example) {
		String name = example.metricName();
		for (Outcome outcome : List.of(Outcome.ACQUIRED, Outcome.TIMEOUT)) {
			LockAcquireContext context = new LockAcquireContext(example, (name != null) ? name : LockTags.OTHER);
			Observation observation = LockObservationDocumentation.ACQUIRE.observation(this.convention,
					LockObservationListener.DEFAULT_CONVENTION, () -> context, this.rehearsals);
			observation.start();
			context.ended(outcome);
			observation.stop();
		}
	}

	/**
	 * Creates the timer that Micrometer's own handler will use for such an observation.
	 */
	private record Registration(MeterRegistry registry) implements ObservationHandler<LockAcquireContext> {

		@Override
		public void onStop(LockAcquireContext context) {
			Tags tags = Tags.of("error", "none");
			for (var keyValue : context.getLowCardinalityKeyValues()) {
				tags = tags.and(keyValue.getKey(), keyValue.getValue());
			}
			String name = context.getName();
			if (name != null) {
				Timer.builder(name).tags(tags).register(this.registry);
			}
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof LockAcquireContext;
		}

	}

}
