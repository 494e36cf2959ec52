package io.github.redislock.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.core.task.TaskDecorator;

/**
 * Lets asynchronous work under a lock run within the observation of its caller, although
 * it runs on another thread: in his span, with his trace in its logs.
 *
 * @see io.github.redislock.engine.LockConfiguration#taskDecorator
 */
public final class ObservationTaskDecorator implements TaskDecorator {

	private final ObservationRegistry registry;

	/**
	 * Create a decorator.
	 * @param registry knows the observation of the present thread
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
