package io.github.redislock.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.Lifecycle;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Connection factories that are started here and closed together.
 */
final class ConnectionFactories implements AutoCloseable {

	private final List<Runnable> closing = new CopyOnWriteArrayList<>();

	/**
	 * Start a connection factory.
	 * @param destroy how to close it
	 */
	<F extends RedisConnectionFactory & InitializingBean & Lifecycle> F start(F factory, Runnable destroy) {
		try {
			factory.afterPropertiesSet();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
		factory.start();
		this.closing.add(destroy);
		return factory;
	}

	@Override
	public void close() {
		this.closing.forEach(Runnable::run);
	}

}
