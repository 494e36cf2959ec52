package io.github.redislock.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The guard detects violations and nothing else, with so many threads that many are
 * paused between two reads of the guard.
 */
class SharingGuardTests {

	private static final int PERMITS = 3;

	private static final int THREADS = 16;

	private static final int TURNS = 300;

	private static final Duration LENGTH = Duration.ofNanos(100_000);

	@TempDir
	private Path directory;

	@Test
	void noViolationIsFoundWithinTheLimit() throws Exception {
		assertThat(violations(PERMITS)).isEmpty();
	}

	@Test
	void oneHolderTooManyIsDetected() throws Exception {
		assertThat(violations(PERMITS + 1)).contains("role 3 beside 3 others");
	}

	/**
	 * Return the guard's violations if up to three may be inside.
	 * @param permits how many the lock lets in
	 */
	private List<String> violations(int permits) throws Exception {
		SharingGuard guard = SharingGuard.open(this.directory.resolve("guard"));
		ExecutorService executor = Executors.newFixedThreadPool(THREADS);
		try (LockTemplate locks = new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults())) {
			LockTarget target = LockTarget.of("shared").permits(permits);
			List<Callable<List<String>>> threads = IntStream.range(0, THREADS)
				.<Callable<List<String>>>mapToObj((index) -> () -> hold(guard, index * 100, locks, target))
				.toList();
			return executor.invokeAll(threads).stream().flatMap(SharingGuardTests::result).toList();
		}
		finally {
			executor.shutdown();
		}
	}

	private static List<String> hold(SharingGuard guard, int place, LockTemplate locks, LockTarget target) {
		return IntStream.range(0, TURNS).mapToObj((turn) -> {
			try (LockHandle lock = locks.acquire(target, LockOptions.options().waitForever())) {
				return guard.hold(place, SharingGuard.PERMIT, PERMITS, lock, Duration.ZERO, LENGTH);
			}
		}).filter(Objects::nonNull).toList();
	}

	private static Stream<String> result(Future<List<String>> thread) {
		try {
			return thread.get().stream();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
