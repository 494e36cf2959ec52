package io.github.redislock.redis;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * 10 000 virtual threads wait for 100 locks. All are served, and the library uses few
 * threads. From Java 24 on, none pins its carrier thread.
 */
@ExtendWith(RedisServerExtension.class)
class VirtualThreadsTests {

	private static final int THREADS = 10_000;

	private static final int KEYS = 100;

	/**
	 * Threads of the JDK for virtual threads and for recording, and those of this test.
	 */
	private static final List<String> OF_OTHERS = List.of("ForkJoinPool", "VirtualThread", "JFR", "Common-Cleaner",
			"Attach", "process reaper", "awaitility");

	private static final LockOptions PATIENT = LockOptions.options().waitTime(Duration.ofMinutes(2));

	/** Guarded only by the locks. */
	private final int[] counts = new int[KEYS];

	private final AtomicInteger asked = new AtomicInteger();

	private final AtomicInteger served = new AtomicInteger();

	private final Set<Throwable> failures = ConcurrentHashMap.newKeySet();

	/** The ids of our virtual threads, because others of this JVM do not matter. */
	private final Set<Long> threadIds = ConcurrentHashMap.newKeySet();

	@Test
	void manyVirtualThreadsAreServedWithFewPlatformThreads(@TempDir Path directory) throws Exception {
		Method starter = virtualThreadStarter();
		TestRedis.shared().connectionFactory().getConnection().close();
		TreeSet<String> threadsBefore = threads();
		try (RedisLockTemplate locks = new RedisLockTemplate(TestRedis.shared().connectionFactory());
				Recording recording = new Recording()) {
			List<LockHandle> held = IntStream.range(0, KEYS)
				.mapToObj((key) -> locks.acquire(LockTarget.of(name(key))))
				.toList();
			// A thread that initializes a class, or waits for that, is always pinned.
			locks.execute(LockTarget.of("initialized"), () -> {
			});
			recording.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ZERO).withStackTrace();
			recording.start();

			for (int i = 0; i < THREADS; i++) {
				int key = i % KEYS;
				starter.invoke(null, (Runnable) () -> countUnderLock(locks, key));
			}
			await().atMost(Duration.ofMinutes(1)).until(() -> this.asked.get() == THREADS);
			TreeSet<String> threads = threads();
			held.forEach(LockHandle::release);
			await().atMost(Duration.ofMinutes(2)).until(() -> this.served.get() + this.failures.size() == THREADS);

			threads.addAll(threads());
			threads.removeAll(threadsBefore);
			List<RecordedEvent> pinned = events(recording, directory.resolve("pinned.jfr")).stream()
				.filter((event) -> this.threadIds.contains(event.getThread().getJavaThreadId()) && !loadsAClass(event))
				.toList();
			System.out.printf("[virtual threads] %d served, %d times pinned, threads %s%n", this.served.get(),
					pinned.size(), threads);
			assertThat(this.failures).isEmpty();
			assertThat(this.counts).containsOnly(THREADS / KEYS);
			assertThat(threads).hasSizeLessThanOrEqualTo(4);
			if (Runtime.version().feature() >= 24) {
				// On older JDKs, every 'synchronized' block pins the carrier thread.
				assertThat(pinned).isEmpty();
			}
		}
	}

	private void countUnderLock(RedisLockTemplate locks, int key) {
		this.threadIds.add(Thread.currentThread().getId());
		this.asked.incrementAndGet();
		try {
			locks.execute(LockTarget.of(name(key)), PATIENT, () -> {
				int count = this.counts[key];
				Thread.yield();
				this.counts[key] = count + 1;
			});
			this.served.incrementAndGet();
		}
		catch (Throwable ex) {
			this.failures.add(ex);
		}
	}

	private static String name(int key) {
		return "virtual:" + key;
	}

	private static List<RecordedEvent> events(Recording recording, Path file) throws Exception {
		recording.stop();
		recording.dump(file);
		return RecordingFile.readAllEvents(file);
	}

	/**
	 * Return whether the JVM itself pinned the thread, because it had to load a class.
	 */
	private static boolean loadsAClass(RecordedEvent event) {
		return event.getStackTrace()
			.getFrames()
			.stream()
			.anyMatch((frame) -> frame.getMethod().getName().equals("loadClass"));
	}

	private static TreeSet<String> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> OF_OTHERS.stream().noneMatch(thread.getName()::startsWith))
			.map((thread) -> thread.getName() + "#" + thread.getId())
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static Method virtualThreadStarter() throws NoSuchMethodException {
		if (Runtime.version().feature() < 21) {
			String reason = "virtual threads came with Java 21, this is " + Runtime.version();
			System.out.println("[skipped] " + reason);
			Assumptions.abort(reason);
		}
		return Thread.class.getMethod("startVirtualThread", Runnable.class);
	}

}
