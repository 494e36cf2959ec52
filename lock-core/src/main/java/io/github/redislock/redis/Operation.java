package io.github.redislock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.github.redislock.LockException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.RedisErrors;
import io.github.redislock.internal.client.ScriptCall;

/**
 * An operation on a lock, as failure messages describe it.
 *
 * @param name the verb of the operation
 * @param timeout how long the operation may take, including all of its scripts
 */
record Operation(String name, LockTarget target, Duration timeout) {

	<T> CompletableFuture<T> read(ScriptCall call, CompletableFuture<Object> reply, Function<Object, T> reader) {
		return reply.handle((result, failure) -> {
			if (failure != null) {
				throw translate(call, failure);
			}
			return reader.apply(result);
		});
	}

	LockException translate(ScriptCall call, Throwable failure) {
		return translate(call.seal().keys().get(0), failure);
	}

	LockException translate(byte[] key, Throwable failure) {
		return RedisErrors.translate(this.name, this.target, LockKeys.text(key), this.timeout, failure);
	}

}
