package io.github.redislock.campaign.failover;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.campaign.failover.Client.Grip;
import io.github.redislock.campaign.worker.Pause;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long the next caller waits for the locks of an instance that died.
 */
final class Crashes {

	/** The leases that are compared. */
	static final List<Duration> LEASES = List.of(Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ofSeconds(30));

	/** The time for a quarantine, and for processes on a busy machine. */
	private static final Duration START = Duration.ofSeconds(60);

	private static final Duration BEYOND_LEASE = Duration.ofSeconds(30);

	private static final Duration AFTER_FAILURE = Duration.ofMillis(50);

	private final Topology topology;

	private final Library library;

	private final int times;

	private final Random random;

	Crashes(Topology topology, Library library, int times, Random random) {
		this.topology = topology;
		this.library = library;
		this.times = times;
		this.random = random;
	}

	/**
	 * Let one instance for each lease die, all at about the same time.
	 * @return for each lease the times in nanoseconds until other instances had the
	 * locks; a lock that no instance had in time is missing
	 */
	Map<Duration, List<Long>> run() {
		Map<Duration, List<Long>> waits = new LinkedHashMap<>();
		try (Site site = Site.start(this.topology, this.library.masters())) {
			List<Pair> pairs = new ArrayList<>();
			try {
				LEASES.forEach((lease) -> pairs.add(new Pair(site, lease)));
				pairs.forEach(Pair::contend);
				pairs.forEach(Pair::crash);
				pairs.forEach((pair) -> waits.put(pair.lease, pair.waits()));
			}
			finally {
				pairs.forEach(Pair::close);
			}
		}
		return waits;
	}

	private static <T> @Nullable T await(Future<T> future, Duration patience) {
		try {
			return future.get(patience.toSeconds(), TimeUnit.SECONDS);
		}
		catch (TimeoutException ex) {
			return null;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return null;
		}
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "crash");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * An instance that holds locks and dies, and another one that waits for them.
	 */
	private final class Pair implements AutoCloseable {

		private final Duration lease;

		private final Way way;

		private final Way otherWay;

		private final Clients clients = new Clients();

		private final Client holder;

		private final Client waiter;

		private final List<CompletableFuture<Long>> next = new ArrayList<>();

		private long crashed;

		Pair(Site site, Duration lease) {
			this.lease = lease;
			this.way = new Way(site);
			this.otherWay = new Way(site);
			this.holder = this.clients.open(() -> Crashes.this.library.open(this.way.addresses(), lease));
			this.waiter = this.clients.open(() -> Crashes.this.library.open(this.otherWay.addresses(), lease));
		}

		void contend() {
			List<CompletableFuture<Grip>> held = new ArrayList<>();
			for (int time = 0; time < Crashes.this.times; time++) {
				String lock = Load.SLOT + "crash-" + this.lease.toSeconds() + "-" + time;
				CompletableFuture<Grip> granted = new CompletableFuture<>();
				CompletableFuture<Long> taken = new CompletableFuture<>();
				held.add(granted);
				this.next.add(taken);
				start(() -> {
					granted.complete(acquire(this.holder, lock));
					// This library renews no lock whose thread has ended.
					taken.join();
				});
				start(() -> {
					granted.join();
					Grip grip = acquire(this.waiter, lock);
					taken.complete(System.nanoTime());
					grip.release();
				});
			}
			held.forEach((granted) -> await(granted, START));
		}

		private Grip acquire(Client client, String lock) {
			while (true) {
				try {
					Grip grip = client.acquire(lock, this.lease.plus(BEYOND_LEASE));
					if (grip != null) {
						return grip;
					}
				}
				catch (RuntimeException ex) {
					// A quarantine may not be over yet.
					Pause.of(AFTER_FAILURE);
				}
			}
		}

		/**
		 * End all connections of the holder at a random moment between two renewals.
		 */
		void crash() {
			Pause.of(Duration.ofSeconds(1).plusMillis(Crashes.this.random.nextLong(1_000)));
			this.crashed = System.nanoTime();
			this.way.sever();
		}

		List<Long> waits() {
			List<Long> waits = new ArrayList<>();
			for (CompletableFuture<Long> taken : this.next) {
				Long at = await(taken, this.lease.plus(BEYOND_LEASE));
				if (at != null) {
					waits.add(at - this.crashed);
				}
			}
			return waits;
		}

		@Override
		public void close() {
			this.way.flow();
			this.clients.close();
			this.way.close();
			this.otherWay.close();
		}

	}

}
