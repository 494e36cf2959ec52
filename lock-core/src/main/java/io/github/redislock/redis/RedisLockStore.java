package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.github.redislock.LockState;
import io.github.redislock.LockStore;
import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Keeps locks in Redis, each decision one script call.
 * <p>
 * With Lettuce it opens a connection of its own, so that neither the application's
 * traffic nor its options for commands disturb the locks; with another client it shares
 * the given connection factory. Thread-safe.
 */
public final class RedisLockStore implements LockStore {

	private static final boolean LETTUCE_PRESENT = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			RedisLockStore.class.getClassLoader());

	/**
	 * How much longer than the lock its last grant is remembered: it still answers a
	 * release that was sent twice, and bridges small backward steps of the server's
	 * clock.
	 */
	private static final Duration FENCE_MARGIN = Duration.ofSeconds(2);

	/** The memory of a lock that never expires must expire all the same. */
	private static final Duration ENDLESS_FENCE = Duration.ofDays(1);

	/** A request is not delayed longer: by then its connection is given up. */
	private static final Duration LONGEST_CANCEL = Duration.ofMinutes(15);

	private static final int TIMEOUTS_PER_LEASE = 6;

	/** A shorter time-out would only mistake a busy machine for an outage. */
	private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);

	private final ScriptRunner scripts;

	private final LockKeys keys;

	private final Duration commandTimeout;

	RedisLockStore(ScriptRunner scripts, RedisLockStoreOptions options) {
		this.scripts = scripts;
		this.keys = new LockKeys(options.keyPrefix());
		this.commandTimeout = options.commandTimeout();
	}

	/**
	 * Create a store in the Redis of a connection factory.
	 * @param connectionFactory where Redis is and how to log in
	 * @param options how to use it
	 * @return a new store
	 */
	public static RedisLockStore create(RedisConnectionFactory connectionFactory, RedisLockStoreOptions options) {
		return new RedisLockStore(runner(connectionFactory, options), options);
	}

	@Override
	public CompletionStage<AcquireAnswer> acquire(AcquireRequest request) {
		LockTarget target = request.target();
		Duration timeToLive = request.timeToLive();
		return run("acquire", LockScript.ACQUIRE, target, allKeys(request),
				arguments(request.owner(), request.requestId(),
						millis((timeToLive != null) ? timeToLive : Duration.ZERO),
						millis((timeToLive != null) ? timeToLive.plus(FENCE_MARGIN) : ENDLESS_FENCE)),
				timeout(timeToLive), (answer) -> acquireAnswer(target, (List<?>) answer));
	}

	@Override
	public CompletionStage<Boolean> renew(LockTarget target, String owner, Duration timeToLive) {
		return run("renew", LockScript.RENEW, target, lockAndFence(target),
				arguments(owner, millis(timeToLive), millis(timeToLive.plus(FENCE_MARGIN))), timeout(timeToLive),
				RedisLockStore::isOne);
	}

	@Override
	public CompletionStage<Boolean> release(LockTarget target, String owner, Duration keepFor) {
		return run("release", LockScript.RELEASE, target, lockAndFence(target), arguments(owner, millis(keepFor)),
				this.commandTimeout, RedisLockStore::isOne);
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request) {
		return run("withdraw", LockScript.WITHDRAW, request.target(), allKeys(request),
				arguments(request.owner(), request.requestId(), millis(memory(request.timeToLive()))),
				this.commandTimeout, Function.identity())
			.thenAccept((granted) -> {
			});
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return run("inspect", LockScript.INSPECT, target, lockAndFence(target), List.of(), this.commandTimeout,
				(answer) -> {
					List<?> fields = (List<?>) answer;
					return fields.isEmpty() ? Optional.empty() : Optional.of(state(target, fields));
				});
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target) {
		return run("force release", LockScript.FORCE_RELEASE, target, lockAndFence(target), List.of(),
				this.commandTimeout, RedisLockStore::isOne);
	}

	@Override
	public void close() {
		this.scripts.close();
	}

	private <T> CompletableFuture<T> run(String operation, LockScript script, LockTarget target, List<byte[]> keys,
			List<byte[]> arguments, Duration timeout, Function<Object, T> reader) {
		return send(script, keys, arguments, timeout).handle((answer, failure) -> {
			if (failure != null) {
				throw RedisErrors.translate(operation, target, timeout, failure);
			}
			return reader.apply(answer);
		});
	}

	private CompletableFuture<Object> send(LockScript script, List<byte[]> keys, List<byte[]> arguments,
			Duration timeout) {
		try {
			return this.scripts.run(script, keys, arguments, timeout);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private List<byte[]> allKeys(AcquireRequest request) {
		LockTarget target = request.target();
		return List.of(this.keys.lock(target), this.keys.fence(target), this.keys.cancel(target, request.requestId()));
	}

	private List<byte[]> lockAndFence(LockTarget target) {
		return List.of(this.keys.lock(target), this.keys.fence(target));
	}

	/**
	 * Return how long to wait for an answer: a fraction of the lease, so that there is
	 * time to ask again.
	 */
	private Duration timeout(@Nullable Duration timeToLive) {
		Duration share = (timeToLive != null) ? timeToLive.dividedBy(TIMEOUTS_PER_LEASE) : this.commandTimeout;
		Duration enough = (share.compareTo(SHORTEST_TIMEOUT) < 0) ? SHORTEST_TIMEOUT : share;
		return (enough.compareTo(this.commandTimeout) < 0) ? enough : this.commandTimeout;
	}

	/**
	 * Return how long a request that was withdrawn may still arrive.
	 */
	private static Duration memory(@Nullable Duration timeToLive) {
		return (timeToLive != null && timeToLive.compareTo(LONGEST_CANCEL) < 0) ? timeToLive : LONGEST_CANCEL;
	}

	private static AcquireAnswer acquireAnswer(LockTarget target, List<?> answer) {
		long kind = (Long) answer.get(0);
		if (kind == 1) {
			return new AcquireAnswer.Granted((Long) answer.get(1));
		}
		return (kind == 0) ? new AcquireAnswer.Held(state(target, answer.subList(1, answer.size())))
				: new AcquireAnswer.Withdrawn();
	}

	private static LockState state(LockTarget target, List<?> fields) {
		String holder = new String((byte[]) fields.get(0), StandardCharsets.UTF_8);
		long millis = (Long) fields.get(1);
		long token = (Long) fields.get(2);
		return new LockState(target.name(), holder, (millis >= 0) ? Duration.ofMillis(millis) : null,
				(token > 0) ? token : null, 0);
	}

	private static boolean isOne(Object answer) {
		return ((Long) answer) == 1;
	}

	private static List<byte[]> arguments(String... arguments) {
		return Arrays.stream(arguments).map((argument) -> argument.getBytes(StandardCharsets.UTF_8)).toList();
	}

	/**
	 * Return whole milliseconds, rounded up: a lock must not live shorter than asked.
	 */
	private static String millis(Duration duration) {
		return Long.toString(duration.plusNanos(999_999).toMillis());
	}

	private static ScriptRunner runner(RedisConnectionFactory connectionFactory, RedisLockStoreOptions options) {
		if (LETTUCE_PRESENT && connectionFactory instanceof LettuceConnectionFactory lettuce) {
			LockConnectionFactory own = LockConnectionFactory.deriveFrom(lettuce, options);
			if (own != null) {
				return new LettuceScriptRunner(own, options.commandTimeout());
			}
		}
		return new BlockingScriptRunner(connectionFactory);
	}

}
