package io.github.redislock.event;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.redislock.HeldLock;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes losses of locks as application events.
 * <p>
 * Events are published on a separate thread, so a listener may block or fail without any
 * effect on locks. Up to a thousand events are queued; further events are only logged.
 */
public final class LockEventPublisher implements LockListener, AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockEventPublisher.class);

	private static final int MAX_WAITING = 1_000;

	private final ApplicationEventPublisher publisher;

	private final ThreadPoolExecutor executor;

	/**
	 * Create a lock listener that publishes application events.
	 * @param publisher publishes the events
	 */
	public LockEventPublisher(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
		this.executor = new ThreadPoolExecutor(1, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MAX_WAITING),
				(task) -> {
					Thread thread = new Thread(task, "redis-lock-events");
					thread.setDaemon(true);
					return thread;
				});
		this.executor.allowCoreThreadTimeOut(true);
	}

	@Override
	public void lost(HeldLock lock, LockLostException loss) {
		LockLostEvent event = new LockLostEvent(lock.name(), lock.fencingToken(), loss.getUnprotected(),
				loss.getReason());
		try {
			this.executor.execute(() -> publish(event));
		}
		catch (RejectedExecutionException ex) {
			logger.warn("Event dropped, because the application is closing or its listeners are too slow: " + event);
		}
	}

	/**
	 * Publish the queued events, for up to a second, and accept no further events.
	 */
	@Override
	public void close() {
		this.executor.shutdown();
		try {
			this.executor.awaitTermination(1, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.executor.getQueue().clear();
	}

	private void publish(LockLostEvent event) {
		try {
			this.publisher.publishEvent(event);
		}
		catch (Throwable ex) {
			logger.error("A listener of the application failed on " + event, ex);
		}
	}

}
