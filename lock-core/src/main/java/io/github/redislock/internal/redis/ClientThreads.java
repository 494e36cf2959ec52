package io.github.redislock.internal.redis;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.ThreadFactoryProvider;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutorGroup;
import org.jspecify.annotations.Nullable;

/**
 * The event loop and the executor of the locks' connections, with one thread each, unless
 * the application provides its own. Lettuce's default is at least two threads each. No
 * thread is started before it is needed.
 */
final class ClientThreads implements AutoCloseable {

	private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

	private @Nullable DefaultEventLoopGroupProvider network;

	private @Nullable EventExecutorGroup events;

	ClientResources.Builder resources() {
		ThreadFactoryProvider named = this::threadFactory;
		DefaultEventLoopGroupProvider network = new DefaultEventLoopGroupProvider(1, named);
		EventExecutorGroup events = new DefaultEventExecutorGroup(1, threadFactory("redis-lock-client"));
		this.network = network;
		this.events = events;
		return ClientResources.builder().eventLoopGroupProvider(network).eventExecutorGroup(events);
	}

	private ThreadFactory threadFactory(String name) {
		return new DefaultThreadFactory(name, true) {

			@Override
			protected Thread newThread(Runnable task, String threadName) {
				Thread thread = super.newThread(task, threadName);
				ClientThreads.this.threads.add(thread);
				return thread;
			}

		};
	}

	/**
	 * Stop the threads, and wait a while, because they must not outlive the application.
	 */
	@Override
	public void close() {
		if (this.events != null) {
			// Close this executor first. Otherwise, it would report failures to the
			// network's threads.
			this.events.shutdownGracefully(0, Closing.LIMIT_SECONDS, TimeUnit.SECONDS)
				.awaitUninterruptibly(Closing.LIMIT_SECONDS, TimeUnit.SECONDS);
		}
		if (this.network != null) {
			this.network.shutdown(0, Closing.LIMIT_SECONDS, TimeUnit.SECONDS);
		}
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Closing.LIMIT_SECONDS);
		try {
			for (Thread thread : this.threads) {
				long rest = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
				if (rest > 0 && !thread.equals(Thread.currentThread())) {
					thread.join(rest);
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
