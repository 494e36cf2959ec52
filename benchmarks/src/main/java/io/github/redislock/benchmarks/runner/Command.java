package io.github.redislock.benchmarks.runner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The command line.
 */
final class Command {

	static final String USAGE = """
			benchmarks/run.sh quick | full | smoke   run the cases: in minutes, thoroughly, or to see that they work
			benchmarks/run.sh case NAME[,NAME...]    some cases, at the pace of "quick"
			benchmarks/run.sh report [FILE]          write results, by default the newest, into docs/performance.md
			benchmarks/run.sh list                   names of cases and contenders

			  --cases NAME,...        only these cases
			  --contenders NAME,...   only these contenders; "limit" means the limits of each case
			  --seconds SECONDS       how long each contender is measured in a round
			  --rounds NUMBER         how many times each contender is measured
			  --jvms NUMBER           how many processes of each contender measure a free lock
			  --pace quick|full|smoke the pace of that command, for "case"
			  --redis HOST:PORT       a running Redis that no other program uses
			  --servers FILE,...      more servers for the free lock; of a folder, the newest Redis and Valkey
			""";

	private final String word;

	private List<String> cases = List.of();

	private List<String> contenders = List.of();

	private @Nullable String file;

	private @Nullable String redis;

	private List<Path> servers = List.of();

	private Pace pace;

	private Command(String word) {
		this.word = word;
		this.pace = Pace.named(word);
	}

	static Command parse(String... arguments) {
		Deque<String> words = new ArrayDeque<>(List.of(arguments));
		Command command = new Command(words.isEmpty() ? "help" : words.pop());
		if (command.word.equals("case")) {
			command.cases = list("case", words);
		}
		while (!words.isEmpty()) {
			command.read(words.pop(), words);
		}
		return command;
	}

	String word() {
		return this.word;
	}

	Pace pace() {
		return this.pace;
	}

	@Nullable String file() {
		return this.file;
	}

	@Nullable String redis() {
		return this.redis;
	}

	/**
	 * Return the programs of servers on which a free lock is also measured.
	 */
	List<Path> servers() {
		return this.servers;
	}

	List<Case> choose(List<Case> all) {
		for (String name : this.cases) {
			if (all.stream().noneMatch((present) -> present.name().equals(name))) {
				throw new IllegalArgumentException("Unknown case '" + name + "'; 'list' shows all cases");
			}
		}
		return all.stream()
			.filter((present) -> this.cases.isEmpty() ? this.pace.includes(present)
					: this.cases.contains(present.name()))
			.toList();
	}

	Selection selection() {
		return new Selection(this.contenders.isEmpty() ? this.pace.contenders() : this.contenders);
	}

	private void read(String option, Deque<String> words) {
		switch (option) {
			case "--cases" -> this.cases = list(option, words);
			case "--contenders" -> this.contenders = list(option, words);
			case "--seconds" -> this.pace = this.pace
				.withWindow(Duration.ofMillis(Math.round(Double.parseDouble(value(option, words)) * 1_000)));
			case "--rounds" -> this.pace = this.pace.withRounds(Integer.parseInt(value(option, words)));
			case "--jvms" -> this.pace = this.pace.withJvms(Integer.parseInt(value(option, words)));
			case "--servers" ->
				this.servers = list(option, words).stream().map(Path::of).flatMap(Command::servers).toList();
			case "--pace" -> this.pace = Pace.named(value(option, words));
			case "--redis" -> this.redis = value(option, words);
			default -> {
				if (option.startsWith("-") || !this.word.equals("report")) {
					throw new IllegalArgumentException("Unknown option '" + option + "'");
				}
				this.file = option;
			}
		}
	}

	/**
	 * Return a program, or the programs with the highest versions in a folder in which
	 * they have names such as {@code redis-8.6}.
	 */
	private static Stream<Path> servers(Path path) {
		if (!Files.isDirectory(path)) {
			return Stream.of(path);
		}
		return Stream.of("redis-", "valkey-").flatMap((kind) -> newest(path, kind).stream());
	}

	private static Optional<Path> newest(Path folder, String kind) {
		try (Stream<Path> programs = Files.list(folder)) {
			return programs.filter((program) -> program.getFileName().toString().startsWith(kind))
				.max(Comparator.comparing((program) -> ModuleDescriptor.Version
					.parse(program.getFileName().toString().substring(kind.length()))));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<String> list(String option, Deque<String> words) {
		return List.of(value(option, words).split(","));
	}

	private static String value(String option, Deque<String> words) {
		if (words.isEmpty()) {
			throw new IllegalArgumentException("'" + option + "' needs a value");
		}
		return words.pop();
	}

}
