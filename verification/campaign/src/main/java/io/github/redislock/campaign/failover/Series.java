package io.github.redislock.campaign.failover;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.campaign.failover.Statistics.Span;
import io.github.redislock.campaign.worker.Pause;
import io.github.redislock.testing.RedisProcess;

/**
 * The fail-overs of one contender.
 */
final class Series {

	private static final int INSTANCES = 2;

	/** How long the contender works undisturbed before each fault. */
	private static final Duration CALM = Duration.ofSeconds(1);

	/** The time until a signal takes effect, during which the master may still reply. */
	private static final Duration STRIKING = Duration.ofMillis(5);

	/** How long to wait for the first grant before the master comes back. */
	private static final Duration FIRST_GRANT = Duration.ofSeconds(10);

	/** How long to wait until all instances are granted locks again. */
	private static final Duration RECOVERY = Duration.ofSeconds(30);

	private final Topology topology;

	private final Library library;

	private final Duration replication;

	private final Duration lease;

	private final Random random;

	private final List<Result> results = new ArrayList<>();

	Series(Topology topology, Library library, Duration replication, Duration lease, Random random) {
		this.topology = topology;
		this.library = library;
		this.replication = replication;
		this.lease = lease;
		this.random = random;
	}

	/**
	 * Run until each fault has been caused a number of times. If the servers do not
	 * recover, others are started.
	 * @param progress is called after each fail-over
	 */
	List<Result> run(List<Blow> kinds, int times, Consumer<Result> progress) {
		List<Blow> blows = new ArrayList<>();
		kinds.forEach((kind) -> blows.addAll(Collections.nCopies(times, kind)));
		Collections.shuffle(blows, this.random);
		while (this.results.size() < blows.size()) {
			long begin = System.nanoTime();
			try (Site site = Site.start(this.topology, this.library.masters())) {
				site.delayReplication(this.replication);
				run(site, blows, progress);
			}
			catch (RuntimeException ex) {
				// The servers or instances did not start, or did not end.
				if (this.results.size() < blows.size()) {
					add(notJudged(blows.get(this.results.size()), ex, begin), progress);
				}
			}
		}
		return this.results;
	}

	private void run(Site site, List<Blow> blows, Consumer<Result> progress) {
		List<Way> ways = IntStream.range(0, INSTANCES).mapToObj((instance) -> new Way(site)).toList();
		Clients clients = new Clients();
		try {
			ways.forEach((way) -> clients.open(() -> this.library.open(way.addresses(), this.lease)));
			Ledger ledger = new Ledger(Load.LOCKS);
			try (Load load = new Load(clients.opened(), ledger, this.lease, this.random)) {
				awaitService(ledger);
				boolean well = true;
				while (well && this.results.size() < blows.size()) {
					Result result = strike(site, ways, ledger, blows.get(this.results.size()));
					add(result, progress);
					well = result.isJudged();
				}
			}
		}
		finally {
			ways.forEach(Way::flow);
			clients.close();
			ways.forEach(Way::close);
		}
	}

	private void add(Result result, Consumer<Result> progress) {
		this.results.add(result);
		progress.accept(result);
	}

	private static Result notJudged(Blow blow, RuntimeException reason, long begin) {
		return Result.notJudged(blow, String.valueOf(reason.getMessage()).lines().findFirst().orElse(""),
				Duration.ofNanos(System.nanoTime() - begin));
	}

	private Result strike(Site site, List<Way> ways, Ledger ledger, Blow blow) {
		long begin = System.nanoTime();
		long lostBefore = ledger.lost();
		long takenBefore = ledger.taken();
		Pause.of(CALM.plusMillis(this.random.nextInt(500)));
		try {
			RedisProcess master = site.master(Load.SLOT);
			List<Long> acquiring = ledger.acquiring(new Span(begin, System.nanoTime()));
			AtomicLong struck = new AtomicLong();
			site.replace(master, () -> {
				blow.strike(site, master, ways);
				Pause.of(STRIKING);
				struck.set(System.nanoTime());
			});
			List<Integer> served = blow.served(INSTANCES);
			await(FIRST_GRANT, () -> ledger.firstGrant(served, struck.get()).isPresent());
			// The failed master is away a little longer than any lease.
			Pause.of(this.lease);
			blow.undo(site, master, ways);
			site.awaitWhole();
			awaitService(ledger);
			long end = System.nanoTime();
			OptionalLong firstGrant = ledger.firstGrant(served, struck.get());
			long overlap = ledger.overlap(new Span(begin, end));
			long lost = ledger.lost() - lostBefore;
			ledger.forget(end);
			return new Result(blow, null, overlap, lost, firstGrant.orElseThrow() - struck.get(),
					ledger.taken() - takenBefore, acquiring, Duration.ofNanos(System.nanoTime() - begin));
		}
		catch (RuntimeException ex) {
			// Other servers are started, so this one need not come back.
			return notJudged(blow, ex, begin);
		}
	}

	/**
	 * Wait until each instance is granted a lock that it requests from now on.
	 */
	private static void awaitService(Ledger ledger) {
		long now = System.nanoTime();
		for (int instance = 0; instance < INSTANCES; instance++) {
			List<Integer> one = List.of(instance);
			if (!await(RECOVERY, () -> ledger.firstGrant(one, now).isPresent())) {
				throw new IllegalStateException("Instance " + instance + " gets no locks");
			}
		}
	}

	private static boolean await(Duration patience, BooleanSupplier condition) {
		long end = System.nanoTime() + patience.toNanos();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - end > 0) {
				return false;
			}
			Pause.of(Duration.ofMillis(2));
		}
		return true;
	}

}
