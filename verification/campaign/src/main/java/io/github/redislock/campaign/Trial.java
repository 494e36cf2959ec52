package io.github.redislock.campaign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.github.redislock.campaign.deployment.Addresses;
import io.github.redislock.campaign.deployment.Deployment;
import io.github.redislock.campaign.history.History;
import io.github.redislock.campaign.history.HistoryChecker;
import io.github.redislock.campaign.history.Promise;
import io.github.redislock.campaign.history.Violation;
import io.github.redislock.campaign.nemesis.Child;
import io.github.redislock.campaign.nemesis.Fault;
import io.github.redislock.campaign.nemesis.Field;
import io.github.redislock.campaign.nemesis.Nemesis;
import io.github.redislock.campaign.nemesis.ServerClock;
import io.github.redislock.campaign.worker.Setup;
import io.github.redislock.campaign.worker.Witness;
import io.github.redislock.campaign.worker.Witness.Count;
import org.jspecify.annotations.Nullable;

/**
 * A run of a scenario, from the start of the first process to the verdict.
 */
final class Trial {

	private static final int CHILDREN = 4;

	private static final int THREADS = 3;

	/**
	 * The number of locks: one for the role, three that threads contend for, and the
	 * ordered ones.
	 */
	private static final int KEYS = 4 + Setup.ORDERED;

	/** A time longer than any thread waits, works or is cut off from Redis. */
	private static final Duration PATIENCE = Duration.ofSeconds(30);

	/** The time for processes to start on a busy machine. */
	private static final Duration START = Duration.ofMinutes(1);

	/** The number of overlaps at which a control ends. */
	private static final int ENOUGH = 1;

	private final Setting setting;

	private final Path directory;

	private final long seed;

	private final List<Violation> violations = new ArrayList<>();

	Trial(Setting setting, Path directory, long seed) {
		this.setting = setting;
		this.directory = directory;
		this.seed = seed;
	}

	Verdict run(List<Fault> kinds, Duration length) throws IOException {
		Files.createDirectories(this.directory);
		ServerClock clock = kinds.contains(Fault.STEP_CLOCK) ? ServerClock.build(this.directory) : null;
		Witness witness = new Witness(this.directory, KEYS);
		try (Deployment servers = startServers(clock)) {
			List<Child> children = startChildren(servers, witness);
			try {
				Field field = new Field(servers, children, clock, this.setting.lease(), this.setting.clockStep(), KEYS);
				Nemesis nemesis = new Nemesis(field, kinds, this.setting.calm(), this.seed);
				nemesis.rage(length,
						() -> !this.setting.scenario().holds() && witness.count(Count.CLAIMED_OVERLAPS) >= ENOUGH);
				Files.write(this.directory.resolve("faults.log"), nemesis.log());
				finish(children, servers);
				History history = History.of(children.stream().map(Child::history).toList());
				judge(history, witness);
				return new Verdict(this.setting, nemesis.counts(), history, witness, List.copyOf(this.violations));
			}
			finally {
				children.forEach(Child::close);
			}
		}
	}

	private Deployment startServers(@Nullable ServerClock clock) {
		Map<String, String> environment = (clock != null) ? clock.environment() : Map.of();
		String[] options = this.setting.persistent() ? new String[] { "appendonly yes", "appendfsync everysec" }
				: new String[0];
		return Deployment.start(this.setting.topology(), environment, options);
	}

	private List<Child> startChildren(Deployment servers, Witness witness) {
		List<Child> children = new ArrayList<>();
		for (int number = 0; number < CHILDREN; number++) {
			int child = number;
			children.add(new Child(number, servers, (name, redis) -> setup(child, name, redis), witness));
		}
		for (Child child : children) {
			if (!child.awaitLine("ready", START)) {
				throw new IllegalStateException("A process was not ready in time. See its log in " + this.directory);
			}
		}
		return children;
	}

	private Setup setup(int number, String name, Addresses redis) {
		return new Setup(number, name, redis, this.setting.acks(), this.directory,
				this.setting.scenario() == Scenario.NAIVE, THREADS, KEYS, this.setting.lease(),
				this.setting.quarantine(), this.setting.longHolds());
	}

	/**
	 * Let all processes stop acquiring locks, and check which keys are left. In a control
	 * in which an overlap must be found, only kill the processes.
	 */
	private void finish(List<Child> children, Deployment servers) {
		if (!this.setting.scenario().holds()) {
			children.forEach(Child::kill);
			return;
		}
		children.forEach((child) -> child.order("rest"));
		for (Child child : children) {
			if (!child.awaitLine("resting", PATIENCE)) {
				report(Promise.BOUNDED_WAIT, "a caller still waits or holds a lock, see " + child.dump());
			}
		}
		// Check while the processes are alive, because otherwise a lock that is still
		// renewed would go unnoticed.
		Leftovers leftovers = new Leftovers(servers.granting());
		leftovers.awaitFree(this.setting.leaseAndGrace().plusSeconds(3))
			.forEach((key) -> report(Promise.NOTHING_LEFT, "still locked: " + key));
		children.forEach((child) -> child.end(PATIENCE));
		leftovers.endless().forEach((key) -> report(Promise.NOTHING_LEFT, "never expires: " + key));
	}

	private void judge(History history, Witness witness) {
		this.violations.addAll(HistoryChecker.check(history, this.setting.rules()));
		if (witness.count(Count.CLAIMED_OVERLAPS) > 0) {
			report(Promise.EXCLUSION, witness.count(Count.CLAIMED_OVERLAPS) + " overlaps in shared memory");
		}
		if (witness.count(Count.REFUSED_WRITES) > 0) {
			report(Promise.FENCED,
					witness.count(Count.REFUSED_WRITES) + " writes were refused although the writer held the lock");
		}
	}

	private void report(Promise promise, String what) {
		this.violations.add(new Violation(promise, what));
	}

}
