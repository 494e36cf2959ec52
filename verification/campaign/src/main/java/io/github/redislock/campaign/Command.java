package io.github.redislock.campaign;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;

import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.campaign.nemesis.Fault;

/**
 * The command line.
 */
final class Command {

	static final String USAGE = """
			verification/campaign/run.sh 60s | 3m | 30m   how long to cause faults; the controls follow

			  --seed NUMBER       the same faults in the same order as with this seed before
			  --only FAULT,...    only these kinds of faults, and no controls
			  --on SERVERS,...    on which servers: standalone (default), sentinel, cluster, quorum
			  --control NAME      only this control: naive, wiped, quarantine or clock (standalone), async-failover
			                      (sentinel, cluster), restart-without-data or quarantine (quorum); may be repeated
			  --no-controls       no controls
			  --leaders N,...     only measures how long N instances have no leader
			  --transfers N,...   only measures how late waits end and losses are reported while N callers of one
			                      instance lock two of N accounts each, in no order
			  --keep              keep the history even after a pass
			""";

	private static final Duration LONG = Duration.ofMinutes(2);

	private static final Duration UNTIL_SEEN = Duration.ofSeconds(60);

	private Duration length = Duration.ZERO;

	private long seed = new Random().nextInt(Integer.MAX_VALUE);

	private List<Fault> only = List.of();

	private List<Topology> topologies = List.of();

	private final List<Scenario> controls = new ArrayList<>();

	private List<Integer> leaders = List.of();

	private List<Integer> transfers = List.of();

	private boolean withoutControls;

	private boolean keep;

	private Command() {
	}

	static Command parse(String... arguments) {
		Deque<String> words = new ArrayDeque<>(List.of(arguments));
		Command command = new Command();
		while (!words.isEmpty()) {
			command.read(words.pop(), words);
		}
		if (command.length.isZero() && command.controls.isEmpty() && command.leaders.isEmpty()
				&& command.transfers.isEmpty()) {
			throw new IllegalArgumentException("The length of the run is missing");
		}
		for (Scenario control : command.controls) {
			if (command.topologies(control).isEmpty()) {
				throw new IllegalArgumentException(
						"There is no control '%s' on %s".formatted(control.label(), command.topologies));
			}
		}
		return command;
	}

	long seed() {
		return this.seed;
	}

	/**
	 * Return the numbers of instances for which to measure the time without a leader. If
	 * there are any, nothing else runs.
	 */
	List<Integer> leaders() {
		return this.leaders;
	}

	/**
	 * Return the numbers of callers that transfer between accounts. If there are any,
	 * nothing else runs.
	 */
	List<Integer> transfers() {
		return this.transfers;
	}

	boolean keep() {
		return this.keep;
	}

	List<Setting> settings() {
		if (!this.leaders.isEmpty() || !this.transfers.isEmpty()) {
			return List.of();
		}
		if (!this.controls.isEmpty()) {
			return this.controls.stream().flatMap((control) -> settings(control, topologies(control))).toList();
		}
		boolean alone = this.withoutControls || !this.only.isEmpty();
		List<Scenario> scenarios = alone ? List.of(Scenario.MAIN) : List.of(Scenario.values());
		return topologies(Scenario.MAIN).stream()
			.flatMap((topology) -> scenarios.stream()
				.filter((scenario) -> scenario.topologies().contains(topology))
				.map((scenario) -> new Setting(scenario, topology)))
			.toList();
	}

	private static Stream<Setting> settings(Scenario scenario, List<Topology> topologies) {
		return topologies.stream().map((topology) -> new Setting(scenario, topology));
	}

	/**
	 * Return the requested topologies that a scenario supports, or the default if none
	 * were requested.
	 */
	List<Topology> topologies(Scenario scenario) {
		return this.topologies.isEmpty() ? List.of(scenario.topologies().iterator().next())
				: this.topologies.stream().filter(scenario.topologies()::contains).toList();
	}

	/**
	 * Return the faults to use: in the main scenario the requested ones, if any, and
	 * otherwise all that are possible.
	 */
	List<Fault> faults(Setting setting) {
		List<Fault> possible = setting.faults();
		if (this.only.isEmpty() || setting.scenario() != Scenario.MAIN) {
			return possible;
		}
		return this.only.stream().filter(possible::contains).toList();
	}

	/**
	 * Return how long a scenario may run. A short run leaves part of its time to the
	 * controls.
	 */
	Duration length(Scenario scenario) {
		boolean shortOfTime = this.length.compareTo(LONG) < 0;
		if (scenario == Scenario.MAIN) {
			return shortOfTime ? this.length.multipliedBy(3).dividedBy(4) : this.length;
		}
		if (!scenario.holds()) {
			return UNTIL_SEEN;
		}
		return Duration.ofSeconds(shortOfTime ? 12 : 30);
	}

	private void read(String word, Deque<String> words) {
		switch (word) {
			case "--seed" -> this.seed = Long.parseLong(value(word, words));
			case "--only" -> this.only = Arrays.stream(value(word, words).split(",")).map(Command::fault).toList();
			case "--on" ->
				this.topologies = Arrays.stream(value(word, words).split(",")).map(Command::topology).toList();
			case "--control" -> this.controls.add(Scenario.named(value(word, words)));
			case "--leaders" -> this.leaders = numbers(value(word, words));
			case "--transfers" -> this.transfers = numbers(value(word, words));
			case "--no-controls" -> this.withoutControls = true;
			case "--keep" -> this.keep = true;
			default -> this.length = length(word);
		}
	}

	private static Duration length(String word) {
		if (!word.matches("\\d+[sm]")) {
			throw new IllegalArgumentException("Unknown option '" + word + "'");
		}
		return Duration.parse("PT" + word.toUpperCase(Locale.ROOT));
	}

	private static List<Integer> numbers(String list) {
		return Arrays.stream(list.split(",")).map(Integer::valueOf).toList();
	}

	private static Topology topology(String label) {
		return Arrays.stream(Topology.values())
			.filter((topology) -> topology.label().equals(label))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("Unknown servers '" + label + "'"));
	}

	private static Fault fault(String label) {
		return Arrays.stream(Fault.values())
			.filter((fault) -> fault.label().equals(label))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("Unknown fault '" + label + "'; the faults are "
					+ Arrays.stream(Fault.values()).map(Fault::label).toList()));
	}

	private static String value(String option, Deque<String> words) {
		if (words.isEmpty()) {
			throw new IllegalArgumentException("'" + option + "' needs a value");
		}
		return words.pop();
	}

}
