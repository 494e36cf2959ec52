package io.github.redislock.campaign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.github.redislock.campaign.history.History;
import io.github.redislock.campaign.history.HistoryChecker;
import io.github.redislock.campaign.history.Promise;
import io.github.redislock.campaign.history.Rules;
import io.github.redislock.campaign.history.Violation;
import io.github.redislock.campaign.nemesis.Child;
import io.github.redislock.campaign.nemesis.Fault;
import io.github.redislock.campaign.nemesis.Field;
import io.github.redislock.campaign.nemesis.Nemesis;
import io.github.redislock.campaign.nemesis.ServerClock;
import io.github.redislock.campaign.worker.Setup;
import io.github.redislock.campaign.worker.Witness;
import io.github.redislock.campaign.worker.Witness.Count;
import io.github.redislock.testing.RedisProcess;
import org.jspecify.annotations.Nullable;

/**
 * One run of one scenario, from the first process to the verdict.
 */
final class Trial {

	private static final int CHILDREN = 4;

	private static final int THREADS = 3;

	private static final int KEYS = 3;

	/** Longer than anybody waits, works and is cut off. */
	private static final Duration PATIENCE = Duration.ofSeconds(20);

	/**
	 * An attempt may take one command time-out longer than its waiting time, and
	 * something for a busy machine.
	 */
	private static final Duration ROOM = Duration.ofSeconds(4);

	/** A lease and its grace, and a server that stands still meanwhile. */
	private static final Duration AFTERLIFE = Duration.ofSeconds(6);

	/** A heart-beat, and a process that stands still meanwhile. */
	private static final Duration MEMORY = Duration.ofSeconds(5);

	/** A control has shown what it has to show. */
	private static final int ENOUGH = 1;

	private final Scenario scenario;

	private final Path directory;

	private final long seed;

	private final List<Violation> violations = new ArrayList<>();

	Trial(Scenario scenario, Path directory, long seed) {
		this.scenario = scenario;
		this.directory = directory;
		this.seed = seed;
	}

	/**
	 * Run it.
	 * @param kinds which faults
	 * @param length for how long
	 */
	Verdict run(List<Fault> kinds, Duration length) throws IOException {
		Files.createDirectories(this.directory);
		ServerClock clock = kinds.contains(Fault.STEP_CLOCK) ? ServerClock.build(this.directory) : null;
		Witness witness = new Witness(this.directory, KEYS);
		try (RedisProcess redis = startRedis(clock)) {
			List<Child> children = startChildren(redis, witness);
			try {
				Field field = new Field(redis, children, clock, this.scenario.lease(), this.scenario.clockStep());
				Nemesis nemesis = new Nemesis(field, kinds, this.scenario.calm(), this.seed);
				nemesis.rage(length, () -> !this.scenario.holds() && witness.count(Count.CLAIMED_OVERLAPS) >= ENOUGH);
				Files.write(this.directory.resolve("faults.log"), nemesis.log());
				finish(children, redis);
				History history = history(children);
				judge(history, witness);
				return new Verdict(this.scenario, nemesis.counts(), history, witness, List.copyOf(this.violations));
			}
			finally {
				children.forEach(Child::close);
			}
		}
	}

	private RedisProcess startRedis(@Nullable ServerClock clock) {
		Map<String, String> environment = (clock != null) ? clock.environment() : Map.of();
		return this.scenario.persistent() ? RedisProcess.start(environment, "appendonly yes", "appendfsync everysec")
				: RedisProcess.start(environment);
	}

	private List<Child> startChildren(RedisProcess redis, Witness witness) {
		List<Child> children = new ArrayList<>();
		for (int number = 0; number < CHILDREN; number++) {
			int child = number;
			children.add(new Child(number, redis.port(), (name, port) -> setup(child, name, port), witness));
		}
		for (Child child : children) {
			if (!child.awaitLine("ready", PATIENCE)) {
				throw new IllegalStateException("A process does not start, see " + this.directory);
			}
		}
		return children;
	}

	private Setup setup(int number, String name, int port) {
		return new Setup(number, name, port, this.directory, this.scenario.naive(), THREADS, KEYS,
				this.scenario.lease(), this.scenario.quarantine(), this.scenario != Scenario.MAIN);
	}

	/**
	 * Let everybody come to rest, and see what stays behind. A control need not.
	 */
	private void finish(List<Child> children, RedisProcess redis) {
		if (!this.scenario.holds()) {
			children.forEach(Child::kill);
			return;
		}
		children.forEach((child) -> child.order("rest"));
		for (Child child : children) {
			if (!child.awaitLine("resting", PATIENCE)) {
				report(Promise.BOUNDED_WAIT, "somebody still waits or works, see " + child.dump());
			}
		}
		// While the processes live: one that went on renewing would be seen.
		Leftovers leftovers = new Leftovers(redis);
		leftovers.awaitFree(this.scenario.leaseAndGrace().plusSeconds(3))
			.forEach((key) -> report(Promise.NOTHING_LEFT, "still locked: " + key));
		children.forEach((child) -> child.end(PATIENCE));
		leftovers.endless().forEach((key) -> report(Promise.NOTHING_LEFT, "stays for ever: " + key));
	}

	private static History history(List<Child> children) {
		List<History> parts = children.stream().map(Child::history).toList();
		return new History(parts.stream().flatMap((part) -> part.attempts().stream()).toList(),
				parts.stream().flatMap((part) -> part.stops().stream()).toList(),
				parts.stream().flatMap((part) -> part.unexpected().stream()).toList());
	}

	private void judge(History history, Witness witness) {
		this.violations
			.addAll(HistoryChecker.check(history, new Rules(ROOM, AFTERLIFE, MEMORY, this.scenario.persistent())));
		if (witness.count(Count.CLAIMED_OVERLAPS) > 0) {
			report(Promise.EXCLUSION, witness.count(Count.CLAIMED_OVERLAPS) + " times seen in shared memory");
		}
		if (witness.count(Count.REFUSED_WRITES) > 0) {
			report(Promise.FENCED, witness.count(Count.REFUSED_WRITES) + " writes refused whose writer held the lock");
		}
	}

	private void report(Promise promise, String what) {
		this.violations.add(new Violation(promise, what));
	}

}
