package io.github.redislock.campaign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.redislock.campaign.deployment.Deployment;
import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.campaign.history.Attempt;
import io.github.redislock.campaign.history.Attempt.Grant;
import io.github.redislock.campaign.history.History;
import io.github.redislock.campaign.history.HistoryChecker;
import io.github.redislock.campaign.history.Violation;
import io.github.redislock.campaign.nemesis.Child;
import io.github.redislock.campaign.nemesis.Overthrow;
import io.github.redislock.campaign.worker.Pause;
import io.github.redislock.campaign.worker.Setup;
import io.github.redislock.campaign.worker.Witness;
import io.github.redislock.campaign.worker.Witness.Count;

/**
 * Ends one leadership after another, and measures how long there is no leader.
 */
final class Leaders {

	private static final int ROUNDS = 5;

	private static final Duration START = Duration.ofMinutes(3);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final Setting setting;

	private final int instances;

	private final Path directory;

	private final Random random = new Random();

	private final List<Strike> strikes = new ArrayList<>();

	Leaders(Topology topology, int instances, Path directory) {
		this.setting = new Setting(Scenario.MAIN, topology);
		this.instances = instances;
		this.directory = directory;
	}

	/**
	 * Run the measurement and print the rows of a table.
	 * @return whether no promise was broken
	 */
	boolean run() throws IOException {
		Files.createDirectories(this.directory);
		Witness witness = new Witness(this.directory, 1);
		List<Child> children = new ArrayList<>();
		try (Deployment servers = Deployment.start(this.setting.topology(), Map.of(), "appendonly yes")) {
			try {
				for (int number = 0; number < this.instances; number++) {
					int child = number;
					children
						.add(new Child(
								child, servers, (name, redis) -> new Setup(child, name, redis, this.setting.acks(),
										this.directory, false, 0, 1, this.setting.lease(), Duration.ZERO, false),
								witness));
					// If all processes started at once, they would starve the instance
					// that already leads.
					awaitReady(children.get(child));
				}
				for (Overthrow overthrow : Overthrow.of(this.setting.topology())) {
					for (int round = 0; round < ROUNDS; round++) {
						strike(overthrow, children, servers, witness);
					}
				}
				children.forEach((child) -> child.order("rest"));
				children.forEach((child) -> child.awaitLine("resting", PATIENCE));
				children.forEach((child) -> child.end(PATIENCE));
				return report(History.of(children.stream().map(Child::history).toList()), witness);
			}
			finally {
				children.forEach(Child::close);
			}
		}
	}

	private void strike(Overthrow overthrow, List<Child> children, Deployment servers, Witness witness) {
		// Strike at a random time, while other candidates wait.
		Duration lease = this.setting.lease();
		Pause.of(lease.dividedBy(2).plusMillis(this.random.nextLong(lease.toMillis() / 3)));
		long leader = awaitOther(0, witness);
		Child child = children.get(Witness.worker(leader));
		this.strikes.add(new Strike(overthrow, System.nanoTime()));
		overthrow.strike(child, servers, lease.multipliedBy(3).dividedBy(2));
		if (overthrow != Overthrow.MASTER_KILLED) {
			awaitOther(leader, witness);
		}
		awaitReady(child);
	}

	private static long awaitOther(long leader, Witness witness) {
		long end = System.nanoTime() + PATIENCE.toNanos();
		long inside = witness.inside(Setup.ROLE_KEY);
		while (inside == leader || inside == 0) {
			if (System.nanoTime() - end > 0) {
				throw new IllegalStateException("No instance leads");
			}
			Pause.of(Duration.ofMillis(5));
			inside = witness.inside(Setup.ROLE_KEY);
		}
		return inside;
	}

	private static void awaitReady(Child child) {
		if (!child.awaitLine("ready", START)) {
			throw new IllegalStateException("A process was not ready in time");
		}
	}

	private boolean report(History history, Witness witness) {
		List<Attempt> terms = history.attempts()
			.stream()
			.filter((attempt) -> attempt.grant() != null)
			.sorted(Comparator.comparingLong(Attempt::replied))
			.toList();
		for (Overthrow overthrow : Overthrow.of(this.setting.topology())) {
			List<Long> without = new ArrayList<>();
			List<Long> told = new ArrayList<>();
			this.strikes.stream()
				.filter((strike) -> strike.overthrow() == overthrow)
				.forEach((strike) -> measure(strike, terms, history, without, told));
			System.out.printf("| %d | %s | %s | %s |%n", this.instances, overthrow.label(), describe(without),
					describe(told));
		}
		List<Violation> violations = HistoryChecker.check(history, this.setting.rules());
		violations.forEach((violation) -> System.out.println("  ! " + violation));
		long overlaps = witness.count(Count.CLAIMED_OVERLAPS);
		System.out.printf("  %d instances: %d leaders, %d overlaps, %d promises broken%n", this.instances, terms.size(),
				overlaps, violations.size());
		return violations.isEmpty() && overlaps == 0;
	}

	private static void measure(Strike strike, List<Attempt> terms, History history, List<Long> without,
			List<Long> told) {
		for (int next = 1; next < terms.size(); next++) {
			Attempt last = terms.get(next - 1);
			Grant grant = last.grant();
			if (grant != null && last.replied() < strike.at() && terms.get(next).replied() > strike.at()) {
				long end = (strike.overthrow() == Overthrow.KILL_9) ? strike.at() : grant.until();
				without.add(terms.get(next).replied() - end);
				history.ends()
					.stream()
					.filter((each) -> each.client().equals(last.client()) && each.due() == end)
					.forEach((each) -> told.add(each.told() - end));
			}
		}
	}

	private static String describe(List<Long> nanos) {
		if (nanos.isEmpty()) {
			return "–";
		}
		List<Long> sorted = nanos.stream().sorted().toList();
		return "%.1f ms, at most %.1f ms".formatted(sorted.get(sorted.size() / 2) / 1e6,
				sorted.get(sorted.size() - 1) / 1e6);
	}

	private record Strike(Overthrow overthrow, long at) {
	}

}
