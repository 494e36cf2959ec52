package io.github.redislock.internal.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
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

	private @Nullable DefaultEventLoopGroupProvider network;

	private @Nullable EventExecutorGroup events;

	ClientResources.Builder resources() {
		DefaultEventLoopGroupProvider network = new DefaultEventLoopGroupProvider(1,
				(name) -> new DefaultThreadFactory(name, true));
		EventExecutorGroup events = new DefaultEventExecutorGroup(1,
				new DefaultThreadFactory("redis-lock-client", true));
		this.network = network;
		this.events = events;
		return ClientResources.builder().eventLoopGroupProvider(network).eventExecutorGroup(events);
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
			CompletableFuture<Boolean> stopped = new CompletableFuture<>();
			this.network.shutdown(0, Closing.LIMIT_SECONDS, TimeUnit.SECONDS)
				.addListener((end) -> stopped.complete(true));
			Closing.await(stopped);
		}
	}

}
