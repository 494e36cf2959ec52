package io.github.redislock.redis;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One instance keeps 10 000 locks, even if Redis pauses for a sixth of the lease. The
 * full test, with {@code -Dmany-locks.lease=30}, lasts at least four leases of 30 s.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("thorough")
class ManyLocksTests {

	private static final int LOCKS = 10_000;

	private static final Duration LEASE = Duration.ofSeconds(Integer.getInteger("many-locks.lease", 6));

	private static final Duration INTERVAL = LEASE.dividedBy(3);

	private static final int INTERVALS = (LEASE.toSeconds() < 30) ? 3 : 9;

	@Test
	void manyLocksNeedFewRequestsAndThreads() {
		try (RedisProcess redis = RedisProcess.start()) {
			LettuceConnectionFactory application = redis.connectionFactory();
			application.getConnection().close();
			TreeSet<String> threadsBefore = threads();
			try (RedisLockTemplate locks = new RedisLockTemplate(application)) {
				locks.acquire(LockTarget.of("first"), LockOptions.options().timeout(LEASE)).close();
				long heapBefore = heap();
				List<LockHandle> handles = new ArrayList<>();
				for (int i = 0; i < LOCKS; i++) {
					handles.add(locks.acquire(LockTarget.of("job:" + i), LockOptions.options().timeout(LEASE)));
				}
				long heap = heap() - heapBefore;

				long before = scripts(redis);
				Instances.work(INTERVAL.multipliedBy(INTERVALS));
				long scripts = scripts(redis) - before;
				assertThat(handles).allMatch(LockHandle::isHeld);

				redis.command("CLIENT", "PAUSE", Long.toString(LEASE.dividedBy(6).toMillis()));
				Instances.work(LEASE);

				TreeSet<String> threads = threads();
				threads.removeAll(threadsBefore);
				System.out.printf(
						"[many locks] %d of %s: %.1f scripts per interval of renewal, threads %s, %d bytes each%n",
						LOCKS, LEASE, scripts / (double) INTERVALS, threads, heap / LOCKS);
				assertThat(handles).allMatch(LockHandle::isHeld);
				assertThat(redis.command("EXISTS", FaultyNetwork.key("job:0"), FaultyNetwork.key("job:9999")))
					.isEqualTo(2L);
				assertThat(scripts / (double) INTERVALS).isLessThanOrEqualTo(100);
				assertThat(threads).hasSizeLessThanOrEqualTo(4);
				handles.forEach(LockHandle::release);
			}
			application.destroy();
		}
	}

	private static long scripts(RedisProcess redis) {
		Map<String, Long> counts = redis.commandCounts();
		return counts.getOrDefault("evalsha", 0L) + counts.getOrDefault("eval", 0L);
	}

	/**
	 * Return how many bytes are in use after garbage collection.
	 */
	private static long heap() {
		long least = Long.MAX_VALUE;
		for (int attempt = 0; attempt < 4; attempt++) {
			System.gc();
			least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
		}
		return least;
	}

	private static TreeSet<String> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map((thread) -> thread.getName() + "#" + thread.getId())
			.collect(Collectors.toCollection(TreeSet::new));
	}

}
