package io.github.redislock.campaign.failover;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.redislock.campaign.failover.Client.Grip;
import io.github.redislock.campaign.failover.Ledger.Stay;
import io.github.redislock.campaign.worker.Pause;
import org.jspecify.annotations.Nullable;

/**
 * Threads of several instances that contend for a few hot locks. In addition, each
 * instance acquires a free lock again and again, to measure how long that takes.
 */
final class Load implements AutoCloseable {

	/** All locks of a run are in one slot of a Cluster. */
	static final String SLOT = "{hot}";

	/**
	 * One lock that is held for milliseconds, and four that are held for about a lease.
	 */
	static final int LOCKS = 5;

	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private static final Duration BETWEEN_PROBES = Duration.ofMillis(20);

	private static final Duration WRITING = Duration.ofMillis(2);

	private static final Duration AFTER_FAILURE = Duration.ofMillis(20);

	private final Ledger ledger;

	private final Duration lease;

	private final List<Thread> threads = new ArrayList<>();

	private volatile boolean stopped;

	Load(List<Client> instances, Ledger ledger, Duration lease, Random random) {
		this.ledger = ledger;
		this.lease = lease;
		for (int number = 0; number < instances.size(); number++) {
			int instance = number;
			Client client = instances.get(number);
			for (int key = 0; key < LOCKS; key++) {
				int lock = key;
				Random own = new Random(random.nextLong());
				start(() -> contend(client, lock, own));
			}
			start(() -> probe(client, instance));
		}
	}

	private void start(Runnable task) {
		Thread thread = new Thread(() -> {
			while (!this.stopped) {
				try {
					task.run();
				}
				catch (RuntimeException ex) {
					// The servers failed, or the lock was lost, which is what this
					// program causes.
					Pause.of(AFTER_FAILURE);
				}
			}
		}, "load");
		thread.setDaemon(true);
		this.threads.add(thread);
		thread.start();
	}

	private void contend(Client client, int lock, Random random) {
		Grip grip = client.acquire(SLOT + lock, PATIENCE);
		if (grip == null) {
			return;
		}
		try {
			long length = (lock == 0) ? 1 + random.nextInt(20)
					: this.lease.toMillis() / 2 + random.nextLong(this.lease.toMillis());
			hold(lock, grip, System.nanoTime() + Duration.ofMillis(length).toNanos());
		}
		finally {
			grip.release();
		}
	}

	/**
	 * Increment the counter of the lock until an end, or until the lock is lost.
	 */
	private void hold(int lock, Grip grip, long end) {
		Stay stay = this.ledger.enter(lock);
		try {
			while (isValid(grip, stay) && System.nanoTime() - end < 0 && !this.stopped) {
				long value = this.ledger.read(lock, grip.token());
				Pause.of(WRITING);
				if (!isValid(grip, stay)) {
					return;
				}
				this.ledger.write(lock, grip.token(), value + 1);
			}
		}
		finally {
			stay.end();
		}
	}

	private static boolean isValid(Grip grip, Stay stay) {
		// Read the clock first, so that the recorded belief is never longer than the
		// real one.
		long now = System.nanoTime();
		boolean valid = grip.isValid();
		if (valid) {
			stay.believedAt(now);
		}
		return valid;
	}

	private void probe(Client client, int instance) {
		long asked = System.nanoTime();
		@Nullable Grip grip = client.acquire(SLOT + "probe" + instance, PATIENCE);
		if (grip != null) {
			this.ledger.granted(instance, asked, System.nanoTime());
			grip.release();
		}
		Pause.of(BETWEEN_PROBES);
	}

	/**
	 * Stop all threads. A thread that is stuck in a library is left behind.
	 */
	@Override
	public void close() {
		this.stopped = true;
		this.threads.forEach(Thread::interrupt);
		long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
		for (Thread thread : this.threads) {
			try {
				thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
		}
	}

}
