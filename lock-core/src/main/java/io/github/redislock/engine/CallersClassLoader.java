package io.github.redislock.engine;

import org.springframework.core.task.TaskDecorator;

/**
 * Lets work see on another thread what its caller sees there: the class loader by which
 * frameworks find services.
 */
final class CallersClassLoader implements TaskDecorator {

	private final TaskDecorator next;

	/**
	 * Create a decorator.
	 * @param next what else is to be done with a task
	 */
	CallersClassLoader(TaskDecorator next) {
		this.next = next;
	}

	@Override
	public Runnable decorate(Runnable task) {
		ClassLoader callers = Thread.currentThread().getContextClassLoader();
		Runnable decorated = this.next.decorate(task);
		return () -> {
			Thread worker = Thread.currentThread();
			ClassLoader before = worker.getContextClassLoader();
			worker.setContextClassLoader(callers);
			try {
				decorated.run();
			}
			finally {
				worker.setContextClassLoader(before);
			}
		};
	}

}
