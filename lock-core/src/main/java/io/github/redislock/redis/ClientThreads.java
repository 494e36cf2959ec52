package io.github.redislock.redis;

import java.util.concurrent.TimeUnit;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutorGroup;
import org.jspecify.annotations.Nullable;

/**
 * The threads of the connections for locks, where the application lends none: one for the
 * network and one for what comes up. By itself Lettuce has at least two of each. None is
 * started before it is needed.
 */
final class ClientThreads implements AutoCloseable {

	private @Nullable DefaultEventLoopGroupProvider network;

	private @Nullable EventExecutorGroup events;

	/**
	 * Return resources that use these threads.
	 */
	ClientResources.Builder resources() {
		DefaultEventLoopGroupProvider network = new DefaultEventLoopGroupProvider(1);
		EventExecutorGroup events = new DefaultEventExecutorGroup(1,
				new DefaultThreadFactory("redis-lock-client", true));
		this.network = network;
		this.events = events;
		return ClientResources.builder().eventLoopGroupProvider(network).eventExecutorGroup(events);
	}

	/**
	 * End the threads. Does not wait for it.
	 */
	@Override
	public void close() {
		if (this.network != null) {
			this.network.shutdown(0, 2, TimeUnit.SECONDS);
		}
		if (this.events != null) {
			this.events.shutdownGracefully(0, 2, TimeUnit.SECONDS);
		}
	}

}
