package io.github.redislock.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.LockHandle;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.ReleaseOutcome;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A process whose threads want one lock until it is told to stop, and that watches what
 * happens to them. Every violation is a line that begins with {@code VIOLATION}.
 */
public final class CampaignWorker {

	static final String NAME = "campaign";

	private static final Duration LEASE = Duration.ofSeconds(2);

	/** Whoever waits that long has to be served. */
	private static final Duration LONG_WAIT = Duration.ofSeconds(20);

	/** How much longer than the waiting time a call may take on a busy machine. */
	private static final Duration ROOM = Duration.ofSeconds(3);

	private final RedisLockTemplate locks;

	private final CampaignGuard guard;

	private final AtomicInteger holds = new AtomicInteger();

	private final AtomicInteger losses = new AtomicInteger();

	private final AtomicInteger refusals = new AtomicInteger();

	private final AtomicInteger interrupts = new AtomicInteger();

	private final AtomicInteger outages = new AtomicInteger();

	private volatile boolean stopped;

	private CampaignWorker(RedisLockTemplate locks, CampaignGuard guard) {
		this.locks = locks;
		this.guard = guard;
	}

	/**
	 * Work until there is no more input.
	 * @param arguments port, guard file and number of threads
	 */
	public static void main(String[] arguments) throws Exception {
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", Integer.parseInt(arguments[0])));
		application.afterPropertiesSet();
		application.start();
		CampaignWorker worker = new CampaignWorker(new RedisLockTemplate(application),
				CampaignGuard.open(Path.of(arguments[1])));
		worker.connect();
		worker.run(Integer.parseInt(arguments[2]));
		worker.locks.close();
		application.destroy();
		say("done holds=%s losses=%s refusals=%s interrupts=%s outages=%s".formatted(worker.holds, worker.losses,
				worker.refusals, worker.interrupts, worker.outages));
		System.exit(0);
	}

	/**
	 * The first connection of a process may take longer than a caller wants to wait.
	 */
	private void connect() {
		try {
			this.locks.isLocked(NAME);
		}
		catch (LockStoreException ex) {
			this.outages.incrementAndGet();
		}
	}

	private void run(int count) throws Exception {
		List<Thread> threads = new ArrayList<>();
		for (int thread = 0; thread < count; thread++) {
			threads.add(new Thread(this::work, "contender-" + thread));
		}
		threads.forEach(Thread::start);
		Thread interrupter = new Thread(() -> interrupt(threads));
		interrupter.setDaemon(true);
		interrupter.start();
		awaitOrder();
		this.stopped = true;
		for (Thread thread : threads) {
			thread.join();
		}
	}

	private static void awaitOrder() throws IOException {
		new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
	}

	private void interrupt(List<Thread> threads) {
		while (!this.stopped) {
			Instances.work(Duration.ofMillis(ThreadLocalRandom.current().nextInt(60)));
			threads.get(ThreadLocalRandom.current().nextInt(threads.size())).interrupt();
		}
	}

	private void work() {
		try {
			while (!this.stopped) {
				acquire();
			}
		}
		catch (Throwable ex) {
			say("VIOLATION unexpected " + ex);
		}
	}

	private void acquire() {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		Duration wait = random.nextBoolean() ? LONG_WAIT : Duration.ofMillis(random.nextInt(60));
		LockOptions options = LockOptions.timeout(LEASE).waitTime(wait);
		long begin = System.nanoTime();
		try {
			LockHandle lock = this.locks.tryAcquire(NAME, options);
			if (lock != null) {
				hold(lock, Duration.ofNanos(random.nextInt(3_000_000)));
			}
			else {
				this.refusals.incrementAndGet();
				if (wait.equals(LONG_WAIT)) {
					say("VIOLATION starved for " + wait);
				}
			}
		}
		catch (LockInterruptedException ex) {
			Thread.interrupted();
			this.interrupts.incrementAndGet();
		}
		catch (LockStoreException ex) {
			this.outages.incrementAndGet();
		}
		Duration taken = Duration.ofNanos(System.nanoTime() - begin);
		if (taken.compareTo(wait.plus(ROOM)) > 0) {
			say("VIOLATION waited for " + taken + " instead of " + wait);
		}
	}

	private void hold(LockHandle lock, Duration length) {
		this.holds.incrementAndGet();
		String violation = this.guard.hold(lock, length);
		if (violation != null) {
			say("VIOLATION " + violation);
		}
		if (lock.release() == ReleaseOutcome.NOT_HELD) {
			this.losses.incrementAndGet();
		}
	}

	private static synchronized void say(String line) {
		System.out.println(line);
	}

}
