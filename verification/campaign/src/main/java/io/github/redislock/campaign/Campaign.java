package io.github.redislock.campaign;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;

import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.campaign.failover.FailOvers;
import io.github.redislock.campaign.nemesis.Fault;
import io.github.redislock.campaign.nemesis.ServerClock;

import org.springframework.util.FileSystemUtils;

/**
 * Lets processes contend for locks while everything around them fails, and checks the
 * outcome.
 */
public final class Campaign {

	private static final Path RESULTS = Path.of("verification", "campaign", "target", "histories");

	/**
	 * A main run with all faults that lasts at least this long fails if it had too few
	 * faults or holds.
	 */
	private static final Duration LONG = Duration.ofMinutes(3);

	private final Command command;

	private Campaign(Command command) {
		this.command = command;
	}

	/**
	 * Run the campaign and its controls. Exits with 0 if all ended as expected, with 1 if
	 * not, and with 2 if the command is invalid.
	 * @param arguments see {@link Command#USAGE}, or {@code fail-overs} and the arguments
	 * of {@link FailOvers}
	 * @throws IOException if files cannot be written
	 */
	public static void main(String[] arguments) throws IOException {
		List<String> words = List.of(arguments);
		if (!words.isEmpty() && words.get(0).equals("fail-overs")) {
			System.exit(FailOvers.run(words.subList(1, words.size())));
		}
		Command command;
		try {
			command = Command.parse(arguments);
		}
		catch (IllegalArgumentException ex) {
			System.out.println(ex.getMessage());
			System.out.println(Command.USAGE);
			System.exit(2);
			return;
		}
		System.exit(new Campaign(command).run() ? 0 : 1);
	}

	private boolean run() throws IOException {
		System.out.println("Campaign, seed " + this.command.seed());
		boolean passed = measureLeaders() & measureTransfers();
		for (Setting setting : this.command.settings()) {
			passed &= run(setting);
		}
		System.out.println(passed ? "PASS" : "FAIL");
		return passed;
	}

	private boolean measureLeaders() throws IOException {
		List<Integer> counts = this.command.leaders();
		if (counts.isEmpty()) {
			return true;
		}
		boolean passed = true;
		for (Topology topology : this.command.topologies(Scenario.MAIN)) {
			System.out.printf("%n| instances (%s) | the leader | time without a leader | notified after its end |%n",
					topology.label());
			System.out.println("|---|---|---|---|");
			for (int instances : counts) {
				passed &= new Leaders(topology, instances, directory("leaders-" + instances)).run();
			}
		}
		return passed;
	}

	private boolean measureTransfers() {
		if (this.command.transfers().isEmpty()) {
			return true;
		}
		System.out
			.printf("%n| callers | deadlocks reported to | waits ended late by up to | losses reported late by up to"
					+ " | longest stall of this process |%n");
		System.out.println("|---|---|---|---|---|");
		boolean passed = true;
		for (int callers : this.command.transfers()) {
			passed &= new Transfers(callers, this.command.seed()).run();
		}
		return passed;
	}

	private static Path directory(String label) {
		return RESULTS.resolve(LocalDateTime.now().format(DateTimeFormatter.ofPattern("MMdd-HHmmss")) + "-" + label)
			.toAbsolutePath();
	}

	private boolean run(Setting setting) throws IOException {
		Path directory = directory(setting.label().replace(' ', '-'));
		List<Fault> faults = this.command.faults(setting);
		if (faults.contains(Fault.STEP_CLOCK) && !ServerClock.isAvailable()) {
			System.out.println("SKIPPED steps of the clock: gcc is missing");
			faults = faults.stream().filter((fault) -> fault != Fault.STEP_CLOCK).toList();
		}
		if (faults.isEmpty()) {
			System.out.println("SKIPPED " + setting.label());
			return true;
		}
		Duration length = this.command.length(setting.scenario());
		long begin = System.nanoTime();
		System.out.printf("%n%s, %d s%n", setting.label(), length.toSeconds());
		Verdict verdict = new Trial(setting, directory, this.command.seed()).run(faults, length);
		System.out.print(verdict.describe());
		boolean passed = verdict.passed();
		boolean whole = setting.scenario() == Scenario.MAIN && this.command.faults(setting).equals(setting.faults());
		if (whole && length.compareTo(LONG) >= 0 && !verdict.isThorough(faults, length)) {
			System.out.println("  too few faults or holds for a meaningful result: is the machine busy?");
			passed = false;
		}
		String what = setting.scenario().holds() ? (passed ? "PASS" : "FAIL") : (passed
				? "PASS: overlaps were found, as expected" : "FAIL: no overlap was found, or tokens were out of order");
		System.out.printf("%s %s, after %d s%n", what, setting.label(), (System.nanoTime() - begin) / 1_000_000_000);
		if (passed && !this.command.keep()) {
			FileSystemUtils.deleteRecursively(directory);
		}
		else {
			System.out.println("  history: " + directory);
		}
		return passed;
	}

}
