package io.github.redislock.redis;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A process whose threads add to a counter in a file: read, add one, write back, with
 * nothing to protect it but the lock. Notes the fencing token of each hold in the order
 * of the holds.
 */
public final class IncrementWorker implements AutoCloseable {

	/** Programs that tell nobody when they let go are asked often. */
	private static final Duration RETRY_DELAY = Duration.ofMillis(5);

	/** Others, who stand in no queue, have a chance meanwhile. */
	private static final Duration PAUSE = Duration.ofMillis(8);

	private static final LockOptions PATIENT = LockOptions.defaults().waitTime(Duration.ofMinutes(3));

	private final FileChannel counter;

	private final FileChannel tokens;

	private IncrementWorker(Path directory) throws IOException {
		this.counter = FileChannel.open(directory.resolve("counter"), StandardOpenOption.READ,
				StandardOpenOption.WRITE);
		this.tokens = FileChannel.open(directory.resolve("tokens"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE);
	}

	public static void main(String[] arguments) throws Exception {
		String mode = arguments[0];
		int port = Integer.parseInt(arguments[1]);
		int threads = Integer.parseInt(arguments[2]);
		int increments = Integer.parseInt(arguments[3]);
		try (IncrementWorker worker = new IncrementWorker(Path.of(arguments[4]))) {
			switch (mode) {
				case "locked" -> worker.incrementLocked(port, threads, increments, PATIENT, Duration.ZERO);
				case "polite" ->
					worker.incrementLocked(port, threads, increments, PATIENT.retryDelay(RETRY_DELAY), PAUSE);
				default -> run(threads, increments, () -> worker.increment(0));
			}
		}
	}

	private void incrementLocked(int port, int threads, int increments, LockOptions options, Duration pause)
			throws Exception {
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", port));
		application.afterPropertiesSet();
		application.start();
		try (RedisLockTemplate locks = new RedisLockTemplate(application)) {
			run(threads, increments, () -> {
				try (LockHandle lock = locks.acquire("counter", options)) {
					increment(lock.fencingToken());
				}
				Instances.work(pause);
			});
		}
		application.destroy();
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

	private static void run(int threads, int increments, Step step) throws Exception {
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
