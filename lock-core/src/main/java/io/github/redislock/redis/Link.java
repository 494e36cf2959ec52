package io.github.redislock.redis;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.github.redislock.LockException;
import io.github.redislock.LockKeyConflictException;
import io.github.redislock.internal.client.BlockingScriptRunner;
import io.github.redislock.internal.client.Clients;
import io.github.redislock.internal.client.ConnectionSubscriber;
import io.github.redislock.internal.client.JedisLockConnections;
import io.github.redislock.internal.client.LettuceScriptRunner;
import io.github.redislock.internal.client.LettuceSubscriber;
import io.github.redislock.internal.client.LimitedScriptRunner;
import io.github.redislock.internal.client.LockConnectionFactory;
import io.github.redislock.internal.client.LockConnections;
import io.github.redislock.internal.client.RedisAddress;
import io.github.redislock.internal.client.RedisErrors;
import io.github.redislock.internal.client.ScriptCall;
import io.github.redislock.internal.client.ScriptRunner;
import io.github.redislock.internal.client.Subscriber;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The connections of a store to Redis, with an inbox for this process only. Thread-safe.
 *
 * @param limited sends all scripts except those of {@code renewing} and {@code quick},
 * which bypass the limit anyway
 */
record Link(ScriptRunner scripts, LimitedScriptRunner limited, Inbox inbox, RenewalBatches renewing, QuickLocks quick) {

	private static final int SEED_BYTES = 16;

	static Link of(ScriptRunner scripts, Inbox inbox, RedisLockStoreOptions options, LongSupplier nanoTime) {
		return new Link(scripts, new LimitedScriptRunner(scripts, nanoTime), inbox,
				new RenewalBatches(scripts, options), new QuickLocks(scripts, nanoTime));
	}

	static Link open(LettuceConnectionFactory application, RedisLockStoreOptions options) {
		LockConnectionFactory own = LockConnectionFactory.deriveFrom(application, options.client());
		return of(new LettuceScriptRunner(own, options.client(), unavailable(application, options)),
				inbox(options, new LettuceSubscriber(own)), options, System::nanoTime);
	}

	/**
	 * With Jedis, open a separate pool of connections if the application's factory allows
	 * that. Otherwise, use the application's connections.
	 * @param votes whether a caller sends the same request to other servers too
	 */
	static Link open(RedisConnectionFactory application, RedisLockStoreOptions options, boolean votes) {
		LockConnections own = (Clients.JEDIS_PRESENT && application instanceof JedisConnectionFactory jedis)
				? JedisLockConnections.deriveFrom(jedis, options.client(), votes) : null;
		LockConnections connections = (own != null) ? own : LockConnections.of(application);
		Inbox inbox = inbox(options, new ConnectionSubscriber(connections));
		return of(new BlockingScriptRunner(connections, options.client(), inbox::unanswered,
				unavailable(application, options)), inbox, options, System::nanoTime);
	}

	/**
	 * Return a callback that logs that Redis is not available. Without it, an outage at
	 * startup would go unnoticed until the first lock is requested.
	 */
	private static Consumer<Throwable> unavailable(RedisConnectionFactory application, RedisLockStoreOptions options) {
		// The logger of RedisLockStore, by name, to avoid a dependency cycle.
		return (failure) -> LogFactory.getLog("io.github.redislock.redis.RedisLockStore")
			.warn("Cannot acquire locks from Redis at '%s' yet: %s".formatted(RedisAddress.describe(application),
					RedisErrors.describe(failure, options.commandTimeout())));
	}

	private static Inbox inbox(RedisLockStoreOptions options, Subscriber subscriber) {
		LockKeys keys = new LockKeys(options.keyPrefix());
		// Use the system's entropy, because copies of this process would share the state
		// of a random generator.
		byte[] seed = new SecureRandom().generateSeed(SEED_BYTES);
		return new Inbox(keys.inbox(UUID.nameUUIDFromBytes(seed).toString()), keys.news(), subscriber);
	}

	/**
	 * Run a script, and wait for replicas if necessary.
	 * @param written tests whether a reply means that the script wrote anything that
	 * replicas have to acknowledge; {@code null} if it never does
	 * @param reader reads the reply
	 */
	<T> CompletableFuture<T> run(Operation operation, ScriptCall call, @Nullable Predicate<Object> written,
			Function<Object, T> reader) {
		return operation.read(call, send(operation, call, written), reader);
	}

	/**
	 * Run a script that returns whether an owner holds or held a lock. The result is
	 * {@code false} if the key holds something that is not a lock.
	 */
	CompletableFuture<Boolean> runForOwner(Operation operation, ScriptCall call, @Nullable Predicate<Object> written,
			Predicate<Object> reader) {
		return send(operation, call, written).handle((reply, failure) -> {
			if (failure == null) {
				return reader.test(reply);
			}
			LockException translated = operation.translate(call, failure);
			if (translated instanceof LockKeyConflictException) {
				return false;
			}
			throw translated;
		});
	}

	private CompletableFuture<Object> send(Operation operation, ScriptCall call, @Nullable Predicate<Object> written) {
		Duration timeout = operation.timeout();
		return this.limited.run(call, timeout, this.scripts.sendTimeout(timeout), written);
	}

	/**
	 * Publish the messages at the end of a reply. The script was not allowed to publish
	 * them, because some services bind its channels to the slot of its keys.
	 * @param size the number of fields before the messages
	 */
	List<?> published(Object reply, int size) {
		List<?> fields = (List<?>) reply;
		for (Object message : fields.subList(Math.min(size, fields.size()), fields.size())) {
			String[] channelAndText = LockKeys.text((byte[]) message).split(" ", 2);
			this.scripts.publish(channelAndText[0], channelAndText[1]);
		}
		return fields;
	}

	void close() {
		this.inbox.close();
		this.scripts.close();
	}

}
