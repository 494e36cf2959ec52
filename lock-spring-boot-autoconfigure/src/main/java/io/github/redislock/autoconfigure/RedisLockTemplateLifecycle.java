package io.github.redislock.autoconfigure;

import io.github.redislock.LockOperations;
import io.github.redislock.redis.RedisLockTemplate;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Closes the template when the application stops: after the web server, message listeners
 * and schedulers have drained, and before the Redis connections are stopped. The template
 * itself waits for work on threads that Spring does not stop earlier.
 * <p>
 * Does nothing when the application is only paused or will be started again.
 */
final class RedisLockTemplateLifecycle implements SmartLifecycle {

	/**
	 * Higher phases stop earlier. The web server's graceful shutdown and Spring's
	 * executors have much higher phases, and connection factories have phase 0.
	 */
	private static final int PHASE = 100;

	private final LockOperations template;

	private final ConfigurableApplicationContext context;

	private volatile boolean running;

	RedisLockTemplateLifecycle(LockOperations template, ConfigurableApplicationContext context) {
		this.template = template;
		this.context = context;
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		// A context also counts as closed while it is being closed.
		if (this.context.isClosed() && this.template instanceof RedisLockTemplate open) {
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
