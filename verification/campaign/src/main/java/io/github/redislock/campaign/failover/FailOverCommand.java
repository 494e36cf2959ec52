package io.github.redislock.campaign.failover;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Function;

import io.github.redislock.campaign.deployment.Topology;

/**
 * The command line of {@link FailOvers}.
 */
final class FailOverCommand {

	static final String USAGE = """
			verification/campaign/run.sh fail-overs N   N fail-overs of each fault, contender and replication, or 0

			  --on SERVERS,...           sentinel, cluster, quorum; default: sentinel
			  --contenders NAME,...      ours, ours-fence, ours-acks, ours-quarantine, redisson, redisson-checked,
			                             spring-integration, quorum-3, quorum-5; default: all that run on the servers
			  --faults FAULT,...         kill, partition (not in a cluster), pause; default: all that are possible
			  --replication SPEED,...    fast, slow; default: both
			  --delay TIME               by which slow replication is delayed; default: 50ms
			  --lease TIME               of each lock; default: 2s
			  --crashes N                locks of a holder that dies, for each of three leases; default: 5
			  --parallel N               contenders and replications at the same time, on servers of
			                             their own; default: 1
			  --seed NUMBER              the same faults in the same order as with this seed before
			""";

	private int times = -1;

	private List<Topology> topologies = List.of(Topology.SENTINEL);

	private List<Library> libraries = List.of(Library.values());

	private List<Blow> blows = List.of(Blow.values());

	private List<String> replication = List.of("fast", "slow");

	private Duration delay = Duration.ofMillis(50);

	private Duration lease = Duration.ofSeconds(2);

	private int crashes = 5;

	private int parallel = 1;

	private long seed = new Random().nextInt(Integer.MAX_VALUE);

	private FailOverCommand() {
	}

	static FailOverCommand parse(List<String> arguments) {
		Deque<String> words = new ArrayDeque<>(arguments);
		FailOverCommand command = new FailOverCommand();
		while (!words.isEmpty()) {
			command.read(words.pop(), words);
		}
		if (command.times < 0) {
			throw new IllegalArgumentException("The number of fail-overs is missing");
		}
		return command;
	}

	private void read(String word, Deque<String> words) {
		if (word.matches("\\d+")) {
			this.times = Integer.parseInt(word);
			return;
		}
		String value = words.isEmpty() ? "" : words.pop();
		switch (word) {
			case "--on" -> this.topologies = list(value, FailOverCommand::topology);
			case "--contenders" -> this.libraries = list(value, Library::named);
			case "--faults" -> this.blows = list(value, Blow::named);
			case "--replication" -> this.replication = list(value, FailOverCommand::speed);
			case "--delay" -> this.delay = time(value);
			case "--lease" -> this.lease = time(value);
			case "--crashes" -> this.crashes = Integer.parseInt(value);
			case "--parallel" -> this.parallel = Integer.parseInt(value);
			case "--seed" -> this.seed = Long.parseLong(value);
			default -> throw new IllegalArgumentException("Unknown option '" + word + "'");
		}
	}

	private static <T> List<T> list(String words, Function<String, T> reader) {
		return Arrays.stream(words.split(",")).map(reader).toList();
	}

	private static Topology topology(String label) {
		return Arrays.stream(Topology.values())
			.filter((topology) -> topology != Topology.STANDALONE && topology.label().equals(label))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("No fail-overs on '" + label + "'"));
	}

	private static String speed(String word) {
		if (!word.equals("fast") && !word.equals("slow")) {
			throw new IllegalArgumentException("Replication is fast or slow, not '" + word + "'");
		}
		return word;
	}

	private static Duration time(String word) {
		if (!word.matches("\\d+(ms|s)")) {
			throw new IllegalArgumentException("A time is for example 50ms or 2s, not '" + word + "'");
		}
		return word.endsWith("ms") ? Duration.ofMillis(Long.parseLong(word.substring(0, word.length() - 2)))
				: Duration.parse("PT" + word.toUpperCase(Locale.ROOT));
	}

	/**
	 * Return how many fail-overs to cause by each fault.
	 */
	int times() {
		return this.times;
	}

	List<Topology> topologies() {
		return this.topologies;
	}

	List<Library> libraries(Topology topology) {
		return this.libraries.stream().filter((library) -> library.runsOn(topology)).toList();
	}

	List<Blow> blows(Topology topology) {
		return this.blows.stream().filter((blow) -> blow != Blow.PARTITION || topology != Topology.CLUSTER).toList();
	}

	/**
	 * Return by how much replication is delayed, zero for fast replication. Masters of a
	 * quorum do not replicate.
	 */
	List<Duration> replications(Topology topology) {
		if (topology == Topology.QUORUM) {
			return List.of(Duration.ZERO);
		}
		return this.replication.stream().map((speed) -> speed.equals("slow") ? this.delay : Duration.ZERO).toList();
	}

	Duration lease() {
		return this.lease;
	}

	int crashes() {
		return this.crashes;
	}

	int parallel() {
		return this.parallel;
	}

	long seed() {
		return this.seed;
	}

}
