package io.github.redislock.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.github.redislock.LockHandle;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A process whose threads take one lock repeatedly:
 * {@code <port> <name> <threads> <work-ms> <pause-ms>}. Prints {@code ready}, begins with
 * the first order, and replies to the second with
 * {@code turns <how many> <longest wait in ms>}.
 */
public final class TurnsWorker {

	private static final LockOptions PATIENT = LockOptions.options().waitTime(Duration.ofSeconds(5));

	private final AtomicLong turns = new AtomicLong();

	private final AtomicLong longestWait = new AtomicLong();

	private volatile boolean stopped;

	private TurnsWorker() {
	}

	public static void main(String[] arguments) throws IOException {
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", Integer.parseInt(arguments[0])));
		application.afterPropertiesSet();
		application.start();
		RedisLockTemplate locks = new RedisLockTemplate(application);
		locks.acquire(LockTarget.of("warm-up"), Instances.PATIENT).close();
		System.out.println("ready");
		awaitOrder();
		TurnsWorker worker = new TurnsWorker();
		for (int thread = 0; thread < Integer.parseInt(arguments[2]); thread++) {
			new Thread(() -> worker.run(locks, arguments[1], millis(arguments[3]), millis(arguments[4]))).start();
		}
		awaitOrder();
		worker.stopped = true;
		System.out.println("turns " + worker.turns + " " + worker.longestWait);
		Runtime.getRuntime().halt(0);
	}

	private void run(RedisLockTemplate locks, String name, Duration work, Duration pause) {
		long waitsSince = System.nanoTime();
		while (!this.stopped) {
			try (LockHandle lock = locks.acquire(LockTarget.of(name), PATIENT)) {
				long waited = Duration.ofNanos(System.nanoTime() - waitsSince).toMillis();
				this.longestWait.accumulateAndGet(waited, Math::max);
				this.turns.incrementAndGet();
				Instances.work(work);
			}
			catch (LockNotAcquiredException ex) {
				continue;
			}
			Instances.work(pause);
			waitsSince = System.nanoTime();
		}
	}

	private static void awaitOrder() throws IOException {
		int next = System.in.read();
		while (next != '\n') {
			if (next < 0) {
				// The parent process has ended.
				Runtime.getRuntime().halt(0);
			}
			next = System.in.read();
		}
	}

	private static Duration millis(String text) {
		return Duration.ofMillis(Long.parseLong(text));
	}

}
