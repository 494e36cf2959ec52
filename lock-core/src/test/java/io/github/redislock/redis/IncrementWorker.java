package io.github.redislock.redis;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.LettuceClients;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A process whose threads increment a counter in a file: read, add one, write back,
 * protected only by the lock. Records the fencing token of each hold in the order of the
 * holds.
 */
public final class IncrementWorker implements AutoCloseable {

	/** Locks of programs that release without a message are polled often. */
	private static final Duration RETRY_DELAY = Duration.ofMillis(5);

	/** Gives clients that cannot join the queue a chance. */
	private static final Duration PAUSE = Duration.ofMillis(8);

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofSeconds(10))
		.waitTime(Duration.ofMinutes(3));

	private static final LockTarget COUNTER = LockTarget.of("counter");

	private final FileChannel counter;

	private final FileChannel tokens;

	private IncrementWorker(Path directory) throws IOException {
		this.counter = FileChannel.open(directory.resolve("counter"), StandardOpenOption.READ,
				StandardOpenOption.WRITE);
		this.tokens = FileChannel.open(directory.resolve("tokens"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE);
	}

	/**
	 * Increment as often as the arguments say.
	 * @param arguments path of the counter, number of threads, increments of each, what
	 * to acquire ({@code bare} for no lock at all, {@code one} lock, {@code several} in
	 * any order, or {@code polite} for one beside clients outside of the queue), and the
	 * port of Redis
	 */
	public static void main(String[] arguments) throws Exception {
		String kind = arguments[3];
		if (kind.equals("bare")) {
			try (IncrementWorker worker = new IncrementWorker(Path.of(arguments[0]))) {
				run(arguments, () -> worker.increment(0));
			}
			return;
		}
		LettuceConnectionFactory application = LettuceClients.factory(Integer.parseInt(arguments[4]));
		application.afterPropertiesSet();
		application.start();
		boolean polite = kind.equals("polite");
		incrementLocked(arguments, RedisLockStore.create(application, RedisLockStoreOptions.defaults()),
				kind.equals("several") ? IncrementWorker::several : () -> COUNTER,
				polite ? PATIENT.retryDelay(RETRY_DELAY) : PATIENT, polite ? PAUSE : Duration.ZERO);
		application.destroy();
	}

	/**
	 * Increment as often as the arguments say, with locks in a store.
	 * @param arguments those of {@link #main} up to the increments
	 */
	public static void incrementLocked(String[] arguments, LockStore store) throws Exception {
		incrementLocked(arguments, store, () -> COUNTER, PATIENT, Duration.ZERO);
	}

	private static LockTarget several() {
		List<LockTarget> locks = new ArrayList<>(List.of(COUNTER, LockTarget.of("b"), LockTarget.of("c")));
		Collections.shuffle(locks);
		return LockTarget.allOf(locks);
	}

	private static void incrementLocked(String[] arguments, LockStore store, Supplier<LockTarget> target,
			LockOptions patient, Duration pause) throws Exception {
		try (IncrementWorker worker = new IncrementWorker(Path.of(arguments[0]));
				RedisLockTemplate locks = new RedisLockTemplate(store, LockConfiguration.defaults())) {
			run(arguments, () -> {
				try (LockHandle lock = locks.acquire(target.get(), patient)) {
					worker.increment(lock.fencingToken());
				}
				Instances.work(pause);
			});
		}
	}

	private void increment(long token) throws IOException {
		ByteBuffer number = ByteBuffer.allocate(Long.BYTES);
		this.counter.read(number, 0);
		long before = number.flip().getLong();
		this.counter.write(number.clear().putLong(before + 1).flip(), 0);
		this.tokens.write(number.clear().putLong(token).flip(), before * Long.BYTES);
	}

	@Override
	public void close() throws IOException {
		this.counter.close();
		this.tokens.close();
	}

	private static void run(String[] arguments, Step step) throws Exception {
		int threads = Integer.parseInt(arguments[1]);
		int increments = Integer.parseInt(arguments[2]);
		List<FutureTask<Void>> tasks = new ArrayList<>();
		for (int thread = 0; thread < threads; thread++) {
			tasks.add(new FutureTask<>(() -> {
				for (int increment = 0; increment < increments; increment++) {
					step.take();
				}
				return null;
			}));
		}
		tasks.forEach((task) -> new Thread(task).start());
		for (FutureTask<Void> task : tasks) {
			task.get();
		}
	}

	private interface Step {

		void take() throws IOException;

	}

}
