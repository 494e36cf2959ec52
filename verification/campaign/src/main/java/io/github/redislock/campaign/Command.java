package io.github.redislock.campaign;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Random;

import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.campaign.nemesis.Fault;
import org.jspecify.annotations.Nullable;

/**
 * The command line.
 */
final class Command {

	static final String USAGE = """
			verification/campaign/run.sh 60s | 3m | 30m   for how long things go wrong; then come the controls

			  --seed NUMBER       the same faults in the same order as that time
			  --only FAULT,...    only these kinds of faults, and no controls
			  --on SERVERS        standalone (default), sentinel, cluster or quorum
			  --control NAME      only this control: naive, wiped, quarantine or clock (standalone), async-failover
			                      (sentinel, cluster), restart-without-data or quarantine (quorum); may be repeated
			  --no-controls       no controls
			  --keep              keep the history even if nothing is wrong with it
			""";

	private static final Duration LONG = Duration.ofMinutes(2);

	private static final Duration UNTIL_SEEN = Duration.ofSeconds(40);

	private Duration length = Duration.ZERO;

	private long seed = new Random().nextInt(Integer.MAX_VALUE);

	private List<Fault> only = List.of();

	private @Nullable Topology topology;

	private final List<Scenario> controls = new ArrayList<>();

	private boolean withoutControls;

	private boolean keep;

	private Command() {
	}

	/**
	 * Read the command line.
	 * @throws IllegalArgumentException if it makes no sense
	 */
	static Command parse(String... arguments) {
		Deque<String> words = new ArrayDeque<>(List.of(arguments));
		Command command = new Command();
		while (!words.isEmpty()) {
			command.read(words.pop(), words);
		}
		if (command.length.isZero() && command.controls.isEmpty()) {
			throw new IllegalArgumentException("For how long?");
		}
		for (Scenario control : command.controls) {
			if (!control.topologies().contains(command.topology(control))) {
				throw new IllegalArgumentException(
						"There is no control '%s' on %s".formatted(control.label(), command.topology(control).label()));
			}
		}
		return command;
	}

	long seed() {
		return this.seed;
	}

	boolean keep() {
		return this.keep;
	}

	List<Setting> settings() {
		if (!this.controls.isEmpty()) {
			return this.controls.stream().map((control) -> new Setting(control, topology(control))).toList();
		}
		boolean alone = this.withoutControls || !this.only.isEmpty();
		return Arrays.stream(Scenario.values())
			.filter((scenario) -> scenario == Scenario.MAIN || !alone)
			.filter((scenario) -> scenario.topologies().contains(topology(Scenario.MAIN)))
			.map((scenario) -> new Setting(scenario, topology(Scenario.MAIN)))
			.toList();
	}

	/**
	 * Return which servers are wanted, or else those that come first for a scenario.
	 */
	private Topology topology(Scenario scenario) {
		return (this.topology != null) ? this.topology : scenario.topologies().iterator().next();
	}

	/**
	 * Return what may go wrong: all that can, or what is asked for.
	 */
	List<Fault> faults(Setting setting) {
		List<Fault> possible = setting.faults();
		if (this.only.isEmpty() || setting.scenario() != Scenario.MAIN) {
			return possible;
		}
		return this.only.stream().filter(possible::contains).toList();
	}

	/**
	 * Return how long a scenario may take. A short run leaves a part of its time to the
	 * controls; one that must fail ends as soon as it was seen to.
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
			case "--on" -> this.topology = topology(value(word, words));
			case "--control" -> this.controls.add(Scenario.named(value(word, words)));
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

	private static Topology topology(String label) {
		return Arrays.stream(Topology.values())
			.filter((topology) -> topology.label().equals(label))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There are no servers called '" + label + "'"));
	}

	private static Fault fault(String label) {
		return Arrays.stream(Fault.values())
			.filter((fault) -> fault.label().equals(label))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("No fault is called '" + label + "'; there are "
					+ Arrays.stream(Fault.values()).map(Fault::label).toList()));
	}

	private static String value(String option, Deque<String> words) {
		if (words.isEmpty()) {
			throw new IllegalArgumentException("'" + option + "' needs a value");
		}
		return words.pop();
	}

}
