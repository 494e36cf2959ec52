package io.github.redislock.testing;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;

/**
 * Hides the client behind a connection factory, so that its options are unknown.
 *
 * @param hidden the current real one
 */
public record ForeignConnectionFactory(
		Supplier<? extends RedisConnectionFactory> hidden) implements RedisConnectionFactory {

	@Override
	public RedisConnection getConnection() {
		return this.hidden.get().getConnection();
	}

	@Override
	public RedisClusterConnection getClusterConnection() {
		return this.hidden.get().getClusterConnection();
	}

	@Override
	public boolean getConvertPipelineAndTxResults() {
		return this.hidden.get().getConvertPipelineAndTxResults();
	}

	@Override
	public RedisSentinelConnection getSentinelConnection() {
		return this.hidden.get().getSentinelConnection();
	}

	@Override
	public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException ex) {
		return this.hidden.get().translateExceptionIfPossible(ex);
	}

}
