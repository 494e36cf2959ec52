package io.github.redislock.internal.redis;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * Connections that record which threads run scripts, and break on request.
 */
public final class RecordedConnections implements LockConnections {

	private final LockConnections connections;

	private final List<Thread> threads = new CopyOnWriteArrayList<>();

	private final AtomicInteger breaks = new AtomicInteger();

	public RecordedConnections(LockConnections connections) {
		this.connections = connections;
	}

	/**
	 * Return the threads that have run scripts since the last call.
	 */
	public List<Thread> threads() {
		List<Thread> present = List.copyOf(this.threads);
		this.threads.removeAll(present);
		return present;
	}

	/**
	 * Break the connection of the next script after it was sent.
	 */
	void breakNext() {
		this.breaks.incrementAndGet();
	}

	@Override
	public RedisConnection open() {
		return recorded(this.connections.open());
	}

	@Override
	public @Nullable RedisConnection openIdle() {
		RedisConnection idle = this.connections.openIdle();
		return (idle != null) ? recorded(idle) : null;
	}

	@Override
	public int idle() {
		return this.connections.idle();
	}

	@Override
	public void close() {
		this.connections.close();
	}

	private RedisConnection recorded(RedisConnection connection) {
		return (RedisConnection) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { RedisConnection.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("scriptingCommands")) {
						this.threads.add(Thread.currentThread());
						if (this.breaks.getAndUpdate((left) -> Math.max(left - 1, 0)) > 0) {
							throw new RedisConnectionFailureException("broke");
						}
					}
					try {
						return method.invoke(connection, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

}
