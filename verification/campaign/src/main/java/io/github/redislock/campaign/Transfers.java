package io.github.redislock.campaign;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.github.redislock.AsyncLockHandle;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.campaign.deployment.Deployment;
import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.campaign.worker.Pause;
import io.github.redislock.redis.RedisLockTemplate;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Lets callers of one instance transfer money between accounts, which they lock in no
 * order, so that many of them wait for each other. Measures how late other waits of this
 * instance end, and how late losses are reported.
 */
final class Transfers {

	/** How late a wait may end. */
	private static final Duration END_OF_WAIT = Duration.ofMillis(500);

	/**
	 * How late a loss may be reported: 50 ms, plus some time for a busy machine.
	 */
	private static final Duration REPORT = Duration.ofMillis(300);

	private static final Duration TRANSFER = Duration.ofSeconds(8);

	private static final Duration START = Duration.ofMillis(1_500);

	private static final Duration SHORT = Duration.ofMillis(20);

	private static final Duration STEP = Duration.ofMillis(50);

	private final int callers;

	private final Random random;

	private final AtomicLong latestEnd = new AtomicLong();

	private final AtomicLong latestReport = new AtomicLong();

	private final AtomicLong longestStall = new AtomicLong();

	Transfers(int callers, long seed) {
		this.callers = callers;
		this.random = new Random(seed);
	}

	/**
	 * Run the measurement and print a row of a table.
	 * @return whether no promise was broken, and some deadlock was reported
	 */
	boolean run() {
		// Losses and deadlocks are expected.
		((Logger) LoggerFactory.getLogger("io.github.redislock")).setLevel(Level.OFF);
		try (Deployment server = Deployment.start(Topology.STANDALONE, Map.of())) {
			LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", server.ports().get(0));
			connections.afterPropertiesSet();
			connections.start();
			try (RedisLockTemplate locks = new RedisLockTemplate(connections)) {
				return run(locks);
			}
			finally {
				connections.destroy();
			}
		}
	}

	private boolean run(RedisLockTemplate locks) {
		AsyncLockHandle busy = locks.async().acquire(LockTarget.of("busy")).join();
		CountDownLatch begun = new CountDownLatch(this.callers);
		List<CompletableFuture<Boolean>> transfers = new ArrayList<>();
		for (int from = 0; from < this.callers; from++) {
			int to = (from + 1 + this.random.nextInt(this.callers - 1)) % this.callers;
			transfers.add(transfer(locks, account(from), account(to), begun));
		}
		await(begun);
		// Let all requests reach Redis. No search has begun yet.
		Pause.of(START);
		Thread meter = new Thread(this::measureStalls, "stall-meter");
		meter.setDaemon(true);
		meter.start();
		for (long end = System.nanoTime() + TRANSFER.minus(START).toNanos(); System.nanoTime() - end < 0;) {
			endWait(locks);
			loseLock(locks);
			Pause.of(STEP);
		}
		Pause.of(Duration.ofSeconds(1));
		meter.interrupt();
		busy.release();
		long deadlocked = transfers.stream().filter(CompletableFuture::join).count();
		boolean passed = deadlocked > 0 && isInTime(this.latestEnd, END_OF_WAIT) && isInTime(this.latestReport, REPORT);
		System.out.printf("| %d | %d | %d ms | %d ms | %d ms |%s%n", this.callers, deadlocked,
				this.latestEnd.get() / 1_000_000, this.latestReport.get() / 1_000_000,
				this.longestStall.get() / 1_000_000, passed ? "" : " too late, or no deadlock was reported");
		return passed;
	}

	private static LockTarget account(int number) {
		return LockTarget.of("account", number);
	}

	/**
	 * Begin a transfer.
	 * @return a future that returns whether a deadlock was reported
	 */
	private static CompletableFuture<Boolean> transfer(RedisLockTemplate locks, LockTarget from, LockTarget to,
			CountDownLatch begun) {
		LockOptions patient = LockOptions.options().waitTime(TRANSFER);
		CompletableFuture<@Nullable Object> transfer = locks.async().execute(from, patient, (first) -> {
			begun.countDown();
			return locks.async().execute(to, patient, (second) -> CompletableFuture.completedFuture(null));
		});
		return transfer.handle((done, failure) -> failure != null
				&& refusal(failure) instanceof LockNotAcquiredException refused && refused.getDeadlock() != null);
	}

	private static Throwable refusal(Throwable failure) {
		return (failure.getCause() != null) ? refusal(failure.getCause()) : failure;
	}

	private void endWait(RedisLockTemplate locks) {
		long due = System.nanoTime() + SHORT.toNanos();
		locks.async()
			.acquire(LockTarget.of("busy"), LockOptions.options().waitTime(SHORT).reentrant(false))
			.handle((lock, failure) -> note(this.latestEnd, due))
			.join();
	}

	private void loseLock(RedisLockTemplate locks) {
		AsyncLockHandle lost = locks.async()
			.acquire(LockTarget.of("lost", System.nanoTime()),
					LockOptions.options().timeout(Duration.ofMillis(300)).autoRenew(false))
			.join();
		long due = System.nanoTime() + lost.remaining().toNanos();
		lost.onLost(() -> note(this.latestReport, due));
	}

	private static long note(AtomicLong latest, long due) {
		return latest.accumulateAndGet(System.nanoTime() - due, Math::max);
	}

	/**
	 * Measure for how long this process did not run. It cannot be in time then.
	 */
	private void measureStalls() {
		while (!Thread.currentThread().isInterrupted()) {
			long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(5);
			Pause.of(Duration.ofMillis(5));
			note(this.longestStall, due);
		}
	}

	private boolean isInTime(AtomicLong latest, Duration limit) {
		return latest.get() <= limit.toNanos() + this.longestStall.get();
	}

	private static void await(CountDownLatch begun) {
		try {
			if (!begun.await(1, TimeUnit.MINUTES)) {
				throw new IllegalStateException("Not all callers got their first lock");
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
