package io.github.redislock.internal.engine;

import org.springframework.core.task.TaskDecorator;

/**
 * Passes the caller's context class loader, which frameworks use to find services, to the
 * thread of its work.
 *
 * @param next another decorator, which is applied as well
 */
record CallersClassLoader(TaskDecorator next) implements TaskDecorator {

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
