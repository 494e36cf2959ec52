package io.github.redislock.autoconfigure;

import io.github.redislock.LockOperations;
import io.github.redislock.engine.LockTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Closes the template when the application stops: after the web server, message listeners
 * and schedulers have drained, and before the Redis connections are stopped. The template
 * itself waits for work on threads that Spring does not stop earlier.
 * <p>
 * Does nothing when the application is only paused or will be started again.
 */
final class RedisLockTemplateLifecycle
		implements SmartLifecycle, ApplicationListener<ContextClosedEvent>, ApplicationContextAware {

	/**
	 * Higher phases stop earlier. The web server's graceful shutdown and Spring's
	 * executors have much higher phases, and connection factories have phase 0.
	 */
	private static final int PHASE = 100;

	private final LockOperations template;

	private volatile @Nullable ApplicationContext context;

	private volatile boolean closing;

	private volatile boolean running;

	RedisLockTemplateLifecycle(LockOperations template) {
		this.template = template;
	}

	@Override
	public void setApplicationContext(ApplicationContext context) {
		this.context = context;
	}

	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		this.closing = this.closing || event.getApplicationContext().equals(this.context);
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		if (this.closing && this.template instanceof LockTemplate open) {
			open.close();
		}
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isPauseable() {
		return false;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
