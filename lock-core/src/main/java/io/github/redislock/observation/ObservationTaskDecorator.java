package io.github.redislock.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.core.task.TaskDecorator;

/**
 * Runs asynchronous work under a lock in its caller's observation, so the work belongs to
 * the caller's span and its log lines have the caller's trace ID.
 *
 * @see io.github.redislock.engine.LockConfiguration#taskDecorator
 */
public final class ObservationTaskDecorator implements TaskDecorator {

	private final ObservationRegistry registry;

	/**
	 * Create a decorator.
	 * @param registry provides the observation of the current thread
	 */
	public ObservationTaskDecorator(ObservationRegistry registry) {
		this.registry = registry;
	}

	@Override
	public Runnable decorate(Runnable task) {
		Observation present = this.registry.getCurrentObservation();
		return (present != null) ? () -> present.scoped(task) : task;
	}

}
