package io.github.redislock.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.core.task.TaskDecorator;

/**
 * Runs asynchronous work under a lock in the observation of its caller: in the caller's
 * span, with its trace in the logs.
 *
 * @see io.github.redislock.engine.LockConfiguration#taskDecorator
 */
public final class ObservationTaskDecorator implements TaskDecorator {

	private final ObservationRegistry registry;

	/**
	 * Create a decorator.
	 * @param registry knows the observation of the current thread
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
