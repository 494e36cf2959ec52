package io.github.redislock.benchmarks.worker;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.benchmarks.stats.Histogram;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A process in which regular callers always fill the queue of one lock, while a crowd of
 * other callers requests it once each and is refused. It prints how long the refusals
 * took, and how often the lock was acquired, with and without the crowd.
 */
public final class DoorWorker {

	/** How many callers may wait. One more regular caller holds the lock. */
	private static final int LIMIT = 100;

	private static final Duration WORK = Duration.ofMillis(1);

	/** How many callers of the crowd come at once. */
	private static final int GROUP = 100;

	private static final Duration GROUP_EVERY = Duration.ofMillis(10);

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final LockOptions REGULAR = LockOptions.options().waitForever();

	private static final LockOptions CROWD = LockOptions.options().waitTime(PATIENCE).maxWaiters(LIMIT);

	private final RedisLockTemplate locks;

	private final LockTarget target;

	private final AtomicLong acquired = new AtomicLong();

	private volatile boolean stopped;

	private DoorWorker(RedisLockTemplate locks, String name) {
		this.locks = locks;
		this.target = LockTarget.of(name);
	}

	/**
	 * Run the measurement, and print its result.
	 * @param arguments host, port, name of the lock, size of the crowd, window in
	 * milliseconds
	 * @throws InterruptedException never
	 */
	public static void main(String[] arguments) throws InterruptedException {
		LettuceConnectionFactory connectionFactory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(arguments[0], Integer.parseInt(arguments[1])));
		connectionFactory.afterPropertiesSet();
		connectionFactory.start();
		try (RedisLockTemplate locks = new RedisLockTemplate(
				RedisLockStore.create(connectionFactory, RedisLockStoreOptions.defaults()),
				LockConfiguration.defaults())) {
			DoorWorker worker = new DoorWorker(locks, arguments[2]);
			System.out.println(worker.run(Integer.parseInt(arguments[3]), Long.parseLong(arguments[4])));
		}
		System.exit(0);
	}

	private Message run(int crowd, long window) throws InterruptedException {
		IntStream.rangeClosed(0, LIMIT).forEach((number) -> {
			Thread regular = new Thread(this::acquireAgainAndAgain, "regular-" + number);
			regular.setDaemon(true);
			regular.start();
		});
		awaitFullQueue();
		// Warm up.
		Crowd.of(crowd, this::blocking);
		Crowd.of(crowd, this::futures);
		Message message = Message.of("ok");
		message = message.with("alone", rate(() -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(window))));
		long heap = heap();
		for (String kind : List.of("blocking", "futures")) {
			AtomicReference<Crowd> came = new AtomicReference<>();
			long rate = rate(() -> came.set(Crowd.of(crowd, kind.equals("blocking") ? this::blocking : this::futures)));
			message = came.get().describe(message, kind).with(kind + "-rate", rate);
		}
		message = message.with("heap", Math.max(0, heap() - heap));
		this.stopped = true;
		return message;
	}

	private void acquireAgainAndAgain() {
		while (!this.stopped) {
			this.locks.execute(this.target, REGULAR, () -> {
				this.acquired.incrementAndGet();
				LockSupport.parkNanos(WORK.toNanos());
			});
		}
	}

	private void awaitFullQueue() throws InterruptedException {
		while (this.locks.local().waiting().stream().noneMatch((queue) -> queue.callers() >= LIMIT - 1)) {
			Thread.sleep(10);
		}
	}

	/**
	 * Return the acquisitions per second while a task runs, in hundredths.
	 */
	private long rate(Runnable during) {
		long before = this.acquired.get();
		long began = System.nanoTime();
		during.run();
		return (this.acquired.get() - before) * TimeUnit.SECONDS.toNanos(100) / (System.nanoTime() - began);
	}

	private void blocking(Crowd crowd) {
		crowd.forEach((caller) -> WorkerThreads.start(WorkerThreads.hasVirtual(), () -> {
			long began = System.nanoTime();
			try {
				this.locks.acquire(this.target, CROWD).close();
				crowd.ended(began, null);
			}
			catch (LockNotAcquiredException ex) {
				crowd.ended(began, ex);
			}
		}));
	}

	private void futures(Crowd crowd) {
		crowd.forEach((caller) -> {
			long began = System.nanoTime();
			this.locks.async().acquire(this.target, CROWD).whenComplete((lock, failure) -> {
				crowd.ended(began, failure);
				if (lock != null) {
					lock.close();
				}
			});
		});
	}

	private static long heap() {
		System.gc();
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
	}

	/**
	 * Callers that request the lock once each.
	 */
	private static final class Crowd {

		private final int size;

		private final CountDownLatch open;

		private final AtomicInteger admitted = new AtomicInteger();

		private final Histogram refusals = new Histogram();

		private Crowd(int size) {
			this.size = size;
			this.open = new CountDownLatch(size);
		}

		/**
		 * Have a crowd of callers request the lock, and wait until all calls have ended.
		 */
		static Crowd of(int size, Consumer<Crowd> visit) {
			Crowd crowd = new Crowd(size);
			visit.accept(crowd);
			try {
				if (!crowd.open.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
					throw new IllegalStateException(crowd.open.getCount() + " calls have not ended");
				}
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			return crowd;
		}

		/**
		 * Start the calls in groups, because otherwise the measurement would compare how
		 * many processors the crowd and the regular callers get.
		 */
		void forEach(IntConsumer caller) {
			long began = System.nanoTime();
			for (int number = 0; number < this.size; number++) {
				if (number % GROUP == 0) {
					long due = began + number / GROUP * GROUP_EVERY.toNanos();
					LockSupport.parkNanos(due - System.nanoTime());
				}
				caller.accept(number);
			}
		}

		void ended(long began, @Nullable Throwable failure) {
			long took = System.nanoTime() - began;
			Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
			if (cause instanceof LockNotAcquiredException refused && refused.getWaitingCallers() > 0) {
				synchronized (this.refusals) {
					this.refusals.add(took);
				}
			}
			else {
				this.admitted.incrementAndGet();
			}
			this.open.countDown();
		}

		private long percentile(double share) {
			return Math.round(this.refusals.percentile(share));
		}

		Message describe(Message message, String kind) {
			return message.with(kind + "-admitted", this.admitted.get())
				.with(kind + "-p50", percentile(0.5))
				.with(kind + "-p99", percentile(0.99))
				.with(kind + "-max", this.refusals.max());
		}

	}

}
