package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.github.redislock.HeldLock;
import io.github.redislock.LocalLocks;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.FaultProxy;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several instances of an application that share one Redis, and a record of the locks
 * that they lost.
 */
final class Instances implements AutoCloseable {

	/** For a machine that is busy. */
	static final Duration PATIENCE = Duration.ofMinutes(1);

	/** The shortest stall of this machine that may cost a lock. */
	private static final Duration STALL = Duration.ofMillis(300);

	/** Longer than any wait of the tests. */
	static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofSeconds(10))
		.waitTime(Duration.ofMinutes(1));

	final RedisProcess redis;

	/** Locks that were lost while they were held. */
	private final List<Loss> losses = new CopyOnWriteArrayList<>();

	private final Stalls stalls = new Stalls();

	private final List<RedisLockTemplate> templates = new CopyOnWriteArrayList<>();

	private final List<FaultProxy> proxies = new CopyOnWriteArrayList<>();

	private final LockKeys keys = new LockKeys("distributed_lock:");

	private boolean closed;

	Instances(String... redisOptions) {
		this.redis = RedisProcess.start(redisOptions);
	}

	/**
	 * Start one more instance.
	 */
	RedisLockTemplate start() {
		return start(LockConfiguration.defaults());
	}

	/**
	 * Start one more instance with its own settings.
	 */
	RedisLockTemplate start(LockConfiguration configuration) {
		return start(this.redis.connectionFactory(), configuration);
	}

	/**
	 * Return a new network to Redis, which can be broken.
	 */
	FaultProxy proxy() {
		FaultProxy proxy = FaultProxy.before(this.redis.port());
		this.proxies.add(proxy);
		return proxy;
	}

	/**
	 * Start one more instance that finds Redis at another port.
	 */
	RedisLockTemplate start(int port) {
		return start(this.redis.connectionFactory(port));
	}

	/**
	 * Start one more instance with the connection factory of its application.
	 */
	RedisLockTemplate start(RedisConnectionFactory application) {
		return start(application, LockConfiguration.defaults());
	}

	private RedisLockTemplate start(RedisConnectionFactory application, LockConfiguration configuration) {
		RedisLockTemplate locks = new RedisLockTemplate(
				RedisLockStore.create(application, RedisLockStoreOptions.defaults()),
				configuration.listeners(List.of(new Losses())));
		this.templates.add(locks);
		// The first connection of a JVM is slow.
		locks.acquire(LockTarget.of("warm-up"), PATIENT).close();
		return locks;
	}

	/**
	 * Begin to acquire a lock on a separate thread.
	 */
	CompletableFuture<Served> acquire(RedisLockTemplate locks, String name, LockOptions options) {
		CompletableFuture<Served> served = new CompletableFuture<>();
		Thread caller = new Thread(() -> {
			try {
				LockHandle lock = locks.acquire(LockTarget.of(name), options);
				// This thread ends before the test continues with the lock.
				lock.detach();
				served.complete(new Served(lock, System.nanoTime()));
			}
			catch (Throwable ex) {
				served.completeExceptionally(ex);
			}
		}, "caller");
		caller.setDaemon(true);
		caller.start();
		return served;
	}

	/**
	 * Begin to acquire a lock, and wait until Redis keeps a place in the queue.
	 */
	CompletableFuture<Served> queue(RedisLockTemplate locks, String name, LockOptions options) {
		long before = queueLength(name);
		CompletableFuture<Served> served = acquire(locks, name, options);
		await("place in the queue").until(() -> queueLength(name) == before + 1);
		return served;
	}

	/**
	 * Wait until every waiter in the queue will be notified of its turn.
	 */
	void awaitTold(String name) {
		// The score of a waiter that polls ends with half a microsecond.
		await("inboxes").until(() -> ((List<?>) Objects
			.requireNonNull(this.redis.command("ZRANGE", queueKey(name), "0", "-1", "WITHSCORES"))).stream()
			.noneMatch((field) -> field.toString().matches("\\d+[.]5")));
	}

	/**
	 * Return the number of waiters.
	 */
	long queueLength(String name) {
		return (Long) Objects.requireNonNull(this.redis.command("ZCARD", queueKey(name)));
	}

	/**
	 * Return how long Redis still keeps the lock, in milliseconds.
	 */
	long timeToLive(String name) {
		return (Long) Objects.requireNonNull(this.redis.command("PTTL", FaultyNetwork.key(name)));
	}

	/**
	 * Return the keys of holders and waiters of a lock.
	 */
	List<String> keysInUse(String name) {
		return Stream.of(FaultyNetwork.key(name), queueKey(name), waitersKey(name))
			.filter((key) -> Long.valueOf(1).equals(this.redis.command("EXISTS", key)))
			.toList();
	}

	/**
	 * Fail if a held lock was lost, unless its lease ran out because this machine
	 * stalled.
	 */
	void requireNoLoss() {
		assertThat(this.losses)
			.filteredOn((loss) -> !loss.reason().getReason().contains("its lease ran out")
					|| this.stalls.before(loss.toldAt()).compareTo(STALL) < 0)
			.isEmpty();
	}

	/**
	 * Shut one instance down in an orderly way.
	 */
	void stop(RedisLockTemplate locks) {
		this.templates.remove(locks);
		locks.close();
	}

	@Override
	public void close() {
		if (this.closed) {
			return;
		}
		this.closed = true;
		this.stalls.close();
		this.redis.thaw();
		this.proxies.forEach(FaultProxy::flow);
		this.templates.parallelStream().forEach(RedisLockTemplate::close);
		this.proxies.forEach(FaultProxy::close);
		this.redis.close();
	}

	private String queueKey(String name) {
		return new String(this.keys.of(LockTarget.of(name), LockKeys.QUEUE).get(1));
	}

	private String waitersKey(String name) {
		return new String(this.keys.of(LockTarget.of(name), LockKeys.WAITERS).get(1));
	}

	/**
	 * Return how many callers of an instance wait.
	 */
	static int waiting(RedisLockTemplate locks) {
		return locks.local().waiting().stream().mapToInt(LocalLocks.Waiting::callers).sum();
	}

	/**
	 * Wait until a thread has its place behind the other waiters of its instance, that
	 * is, until it counts as a waiter and its thread sleeps.
	 */
	static void awaitInLine(RedisLockTemplate locks, Thread caller, int callers) {
		await("thread in line").until(() -> waiting(locks) == callers && caller.getState() == Thread.State.WAITING);
	}

	static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(PATIENCE).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5));
	}

	/**
	 * Work for at least that long.
	 */
	static void work(Duration length) {
		long end = System.nanoTime() + length.toNanos();
		for (long left = length.toNanos(); left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

	static <T> T get(CompletableFuture<T> reply) {
		return reply.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
	}

	/**
	 * A caller's turn.
	 *
	 * @param at when it began, by the monotonic clock
	 */
	record Served(LockHandle lock, long at) {

		Duration since(long begin) {
			return Duration.ofNanos(this.at - begin);
		}

	}

	private record Loss(LockLostException reason, long toldAt) {
	}

	private final class Losses implements LockListener {

		@Override
		public void lost(HeldLock lock, LockLostException loss) {
			Instances.this.losses.add(new Loss(loss, System.nanoTime()));
		}

	}

}
