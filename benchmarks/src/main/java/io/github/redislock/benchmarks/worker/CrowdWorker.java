package io.github.redislock.benchmarks.worker;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A new process in which very many callers wait at once, each for a separate lock that
 * another program holds. It prints how the calls ended, and exits.
 */
public final class CrowdWorker {

	private static final Logger logger = LoggerFactory.getLogger(CrowdWorker.class);

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final long LIMIT_SECONDS = 120;

	private final AtomicIntegerArray ends = new AtomicIntegerArray(End.values().length);

	private final LockOptions options;

	private final long waitNanos;

	/** How long after the end of its waiting time each call completed, in nanoseconds. */
	private final long[] lateness;

	private final CountDownLatch open;

	private CrowdWorker(int callers, Duration waitTime) {
		this.options = LockOptions.options().timeout(LEASE).waitTime(waitTime);
		this.waitNanos = waitTime.toNanos();
		this.lateness = new long[callers];
		this.open = new CountDownLatch(callers);
	}

	/**
	 * Let the callers wait.
	 * @param arguments host, port, prefix of the names, number of callers, waiting time
	 * in milliseconds
	 * @throws InterruptedException never
	 */
	public static void main(String[] arguments) throws InterruptedException {
		LettuceConnectionFactory connectionFactory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(arguments[0], Integer.parseInt(arguments[1])));
		connectionFactory.afterPropertiesSet();
		connectionFactory.start();
		CrowdWorker crowd = new CrowdWorker(Integer.parseInt(arguments[3]),
				Duration.ofMillis(Long.parseLong(arguments[4])));
		try (RedisLockTemplate locks = new RedisLockTemplate(
				RedisLockStore.create(connectionFactory, RedisLockStoreOptions.defaults()),
				LockConfiguration.defaults())) {
			System.out.println(crowd.run(locks, arguments[2]));
		}
		// Do not wait for background work, which is not measured.
		System.exit(0);
	}

	private Message run(RedisLockTemplate locks, String prefix) throws InterruptedException {
		for (int caller = 0; caller < this.lateness.length; caller++) {
			int index = caller;
			long begin = System.nanoTime();
			locks.async().acquire(LockTarget.of(prefix + caller), this.options).whenComplete((lock, failure) -> {
				this.lateness[index] = System.nanoTime() - begin - this.waitNanos;
				ended(lock, failure);
			});
		}
		if (!this.open.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
			return Message.of("error").with("text", this.open.getCount() + " calls have not ended");
		}
		Arrays.sort(this.lateness);
		Message message = Message.of("ok");
		for (End end : End.values()) {
			message = message.with(end.name(), this.ends.get(end.ordinal()));
		}
		return message.with("p50", percentile(0.5)).with("p99", percentile(0.99)).with("latest", percentile(1));
	}

	private void ended(@Nullable AsyncLockHandle lock, @Nullable Throwable failure) {
		End end = End.of(lock, failure);
		if (this.ends.getAndIncrement(end.ordinal()) < 3) {
			logger.warn("{}: {}", end, String.valueOf(failure));
		}
		this.open.countDown();
	}

	private long percentile(double share) {
		int index = (int) Math.ceil(this.lateness.length * share) - 1;
		return TimeUnit.NANOSECONDS.toMillis(this.lateness[index]);
	}

	private enum End {

		GRANTED, REFUSED, UNASKED, UNKNOWN;

		static End of(@Nullable AsyncLockHandle lock, @Nullable Throwable failure) {
			if (lock != null) {
				return GRANTED;
			}
			Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
			if (cause instanceof LockNotAcquiredException) {
				return REFUSED;
			}
			return (cause instanceof LockStoreException outage && !outage.isOutcomeUnknown()) ? UNASKED : UNKNOWN;
		}

	}

}
