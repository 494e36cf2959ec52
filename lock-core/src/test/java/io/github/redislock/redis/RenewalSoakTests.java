package io.github.redislock.redis;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.Script;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks are released just when they are renewed, thousands of times. The full test runs
 * with {@code -Dsoak=100000}.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-5")
@Tag("promise-9")
class RenewalSoakTests {

	private static final int TIMES = Integer.getInteger("soak", Effort.of(1_000, 5_000));

	private static final int THREADS = 48;

	/** The locks for which the threads contend. */
	private static final int HOT = 4;

	private static final Duration LONGEST_LEASE = Duration.ofMillis(200);

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private static final Duration GRACE = Duration.ofMillis(100);

	private final AtomicInteger begun = new AtomicInteger();

	private final AtomicInteger held = new AtomicInteger();

	private final AtomicInteger unanswered = new AtomicInteger();

	private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

	@Test
	void releasedLocksAreNotRenewedAndNoKeyOutlivesItsLease() throws InterruptedException {
		try (RedisProcess redis = RedisProcess.start();
				// The client waits for each reply, so no request overtakes another.
				RedisLockTemplate locks = new RedisLockTemplate(
						RedisLockStore.create(redis.connectionFactory(),
								RedisLockStoreOptions.defaults().commandTimeout(Duration.ofSeconds(20))),
						LockConfiguration.defaults().instance("soak"))) {
			// A script that is not loaded is sent twice, and could arrive after the
			// release.
			for (Script script : LockScript.ALL) {
				redis.command("SCRIPT", "LOAD", new String(script.bytes()));
			}
			Witness witness = new Witness();
			try (Monitor monitor = new Monitor(redis.port(), witness::see)) {
				work(locks);
				Awaitility.await("leases and grace are over").pollDelay(LONGEST_LEASE.plus(GRACE)).until(() -> true);

				List<?> left = (List<?>) redis.command("KEYS", FaultyNetwork.key("*"));
				redis.command("ECHO", Witness.END);
				assertThat(witness.end.await(1, TimeUnit.MINUTES)).isTrue();

				System.out.printf("[soak] %d acquisitions, %d held, %d unanswered, %d renewals, %d releases%n", TIMES,
						this.held.get(), this.unanswered.get(), witness.renewals.get(), witness.releases.get());
				assertThat(this.failures).isEmpty();
				assertThat(left).as("locks that stay").isEmpty();
				assertThat(witness.revived).as("renewed after their release").isEmpty();
				assertThat(witness.renewals.get()).isGreaterThan(TIMES / 10);
				assertThat(this.held.get()).isGreaterThan(TIMES / 2);
			}
		}
	}

	private void work(RedisLockTemplate locks) throws InterruptedException {
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		for (int i = 0; i < THREADS; i++) {
			threads.execute(() -> {
				for (int turn = this.begun.getAndIncrement(); turn < TIMES; turn = this.begun.getAndIncrement()) {
					hold(locks, turn);
				}
			});
		}
		threads.shutdown();
		assertThat(threads.awaitTermination(30, TimeUnit.MINUTES)).isTrue();
	}

	private void hold(RedisLockTemplate locks, int turn) {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		String name = (turn % 4 == 0) ? "hot-" + random.nextInt(HOT) : "own-" + turn;
		LockOptions options = LockOptions.options()
			.timeout(Duration.ofMillis(random.nextInt(60, 200)))
			.waitTime(PATIENCE);
		long asked = System.nanoTime();
		try {
			LockHandle lock = locks.tryAcquire(LockTarget.of(name), options);
			if (lock != null) {
				this.held.incrementAndGet();
				Instances.work(Duration.ofNanos(random.nextInt(80_000_000)));
				lock.release();
			}
		}
		catch (LockStoreException ex) {
			// A busy machine may stall for longer than such a lease, but not each time.
			if (System.nanoTime() - asked < PATIENCE.toNanos()) {
				this.failures.add(ex);
			}
			this.unanswered.incrementAndGet();
		}
		catch (Throwable ex) {
			this.failures.add(ex);
		}
	}

	/**
	 * Records the commands that arrive at Redis.
	 */
	private static final class Witness {

		static final String END = "the end";

		private static final Pattern OWNER = Pattern.compile("\"(soak/[\\w-]{22})\"");

		private static final Set<String> RELEASING = Set.of(LockScript.RELEASE.sha1(), LockScript.YIELD.sha1());

		private static final Set<String> HARMLESS = Set.of(LockScript.RELEASE.sha1(), LockScript.WITHDRAW.sha1(),
				LockScript.INSPECT.sha1());

		private final AtomicLong renewals = new AtomicLong();

		private final AtomicLong releases = new AtomicLong();

		private final Set<String> released = new HashSet<>();

		private final Queue<String> revived = new ConcurrentLinkedQueue<>();

		private final CountDownLatch end = new CountDownLatch(1);

		void see(String line) {
			if (line.contains("\"ECHO\" \"" + END)) {
				this.end.countDown();
				return;
			}
			// Commands inside scripts have a different source.
			if (line.contains(" lua] ") || !line.toLowerCase(Locale.ROOT).contains("\"evalsha\"")) {
				return;
			}
			boolean harmless = HARMLESS.stream().anyMatch(line::contains);
			boolean releasing = RELEASING.stream().anyMatch(line::contains);
			if (line.contains(LockScript.RENEW.sha1())) {
				this.renewals.incrementAndGet();
			}
			Matcher owners = OWNER.matcher(line);
			for (int place = 0; owners.find(); place++) {
				String owner = owners.group(1);
				if (!harmless && this.released.contains(owner)) {
					this.revived.add(line);
				}
				if (releasing && place == 0) {
					this.releases.incrementAndGet();
					this.released.add(owner);
				}
			}
		}

	}

}
