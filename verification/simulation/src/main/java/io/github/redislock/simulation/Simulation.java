package io.github.redislock.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.github.redislock.simulation.redis.LuaScripts;
import org.jspecify.annotations.Nullable;

/**
 * Runs worlds and prints the results.
 */
public final class Simulation {

	private static final int BAR = 30;

	private static final int TRACES_PER_FILE = 100;

	private static final long BETWEEN_LOOKS = 200_000_000;

	private long seeds = 1_000;

	private long seconds;

	private long first = Long.MIN_VALUE;

	private boolean one;

	private List<Scenario> scenarios = List.of(Scenario.values());

	private Set<Integer> without = Set.of();

	private @Nullable Path trace;

	private boolean onlyControls;

	private boolean small;

	private @Nullable Control control;

	private boolean mended;

	private Simulation() {
	}

	/**
	 * Run the simulation.
	 * @param arguments see README.md
	 */
	public static void main(String[] arguments) {
		Simulation simulation = new Simulation();
		try {
			simulation.read(arguments);
		}
		catch (RuntimeException ex) {
			System.err.println(
					"Usage: run.sh [--seeds N | --seconds S | --seed X [--without 1,2,3] [--trace FILE] | --controls |"
							+ " --small [--controls | --control MISTAKE] |" + " --first X --seeds N --trace FOLDER |"
							+ " --control MISTAKE [--seed X [--mended | --trace FILE]]] [--scenario "
							+ Arrays.stream(Scenario.values()).map(Simulation::name).collect(Collectors.joining("|"))
							+ "|all]");
			System.exit(2);
		}
		System.exit(simulation.run() ? 0 : 1);
	}

	private void read(String[] arguments) {
		for (int index = 0; index < arguments.length; index += 2) {
			if (List.of("--controls", "--mended", "--small").contains(arguments[index])) {
				this.onlyControls |= "--controls".equals(arguments[index]);
				this.small |= "--small".equals(arguments[index]);
				this.mended |= "--mended".equals(arguments[index]);
				index--;
				continue;
			}
			String value = arguments[index + 1];
			switch (arguments[index]) {
				case "--seeds" -> this.seeds = Long.parseLong(value);
				case "--seconds" -> this.seconds = Long.parseLong(value);
				case "--first" -> this.first = Long.parseLong(value);
				case "--seed" -> {
					this.first = Long.parseLong(value);
					this.one = true;
				}
				case "--trace" -> this.trace = Path.of(value);
				case "--control" -> {
					this.control = Control.valueOf(value.toUpperCase(Locale.ROOT).replace('-', '_'));
					this.scenarios = List.of(this.control.scenario());
				}
				case "--without" ->
					this.without = Arrays.stream(value.split(",")).map(Integer::valueOf).collect(Collectors.toSet());
				case "--scenario" -> this.scenarios = "all".equals(value) ? List.of(Scenario.values())
						: List.of(Scenario.valueOf(value.toUpperCase(Locale.ROOT)));
				default -> throw new IllegalArgumentException(arguments[index]);
			}
		}
		if (this.trace != null && this.first == Long.MIN_VALUE) {
			throw new IllegalArgumentException("--trace without --seed or --first");
		}
	}

	private boolean run() {
		try (LuaScripts lua = new LuaScripts()) {
			if (this.trace != null) {
				return trace(lua, this.trace);
			}
			if (this.one) {
				return replay(lua);
			}
			if (this.small) {
				return (this.onlyControls || this.control != null) ? findInSmallRuns(lua) : areSmallRunsFine(lua);
			}
		}
		return findControls() && (this.onlyControls || search());
	}

	/**
	 * Write the trace of one seed for the model of the hand-over. With several seeds,
	 * write files with up to {@value #TRACES_PER_FILE} traces, named after the first
	 * seed.
	 */
	private boolean trace(LuaScripts lua, Path path) {
		Mistake mistake = (this.control != null) ? this.control.run(this.first, false, this.without).mistake()
				: Mistake.NONE;
		long end = this.first + (this.one ? 1 : this.seeds);
		for (long begin = this.first; begin < end; begin += TRACES_PER_FILE) {
			SortedMap<Long, HandOverTrace.Recorded> runs = new TreeMap<>();
			for (long seed = begin; seed < Math.min(begin + TRACES_PER_FILE, end); seed++) {
				runs.put(seed, new Run(seed, Scenario.HANDOVER, mistake, this.without).trace(lua));
			}
			try {
				Files.writeString(this.one ? path : path.resolve(begin + ".tla"), HandOverTrace.module(runs));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		return true;
	}

	private boolean areSmallRunsFine(LuaScripts lua) {
		double begin = busySeconds();
		SmallRuns runs = new SmallRuns(lua, Mistake.NONE);
		SmallRuns.Broken broken = runs.search();
		System.out.printf(Locale.ROOT, "%d small runs, all that there are, in %.1f s of CPU time%n", runs.count(),
				busySeconds() - begin);
		if (broken != null) {
			tell(broken);
		}
		return broken == null;
	}

	private boolean findInSmallRuns(LuaScripts lua) {
		for (Control control : (this.control != null) ? List.of(this.control) : List.of(Control.values())) {
			SmallRuns runs = new SmallRuns(lua, control.run(0, false, Set.of()).mistake());
			SmallRuns.Broken broken = runs.search();
			System.out.printf("%-20s %s%n", control, (broken != null)
					? "run %d breaks %s".formatted(runs.count(), broken.violation().promise()) : "NOT FOUND");
			if (broken != null && this.control != null) {
				tell(broken);
			}
		}
		return true;
	}

	private static void tell(SmallRuns.Broken broken) {
		System.out.printf("%nBROKEN: %s: %s%nChoices: %s%n%n", broken.violation().promise(),
				broken.violation().getMessage(), broken.choices());
		broken.story().forEach(System.out::println);
	}

	private boolean findControls() {
		try (LuaScripts lua = new LuaScripts()) {
			return findControls(lua);
		}
	}

	private boolean findControls(LuaScripts lua) {
		boolean all = true;
		double begin = busySeconds();
		for (Control control : (this.control != null) ? List.of(this.control) : List.of(Control.values())) {
			double started = busySeconds();
			Control.Finding finding = control.find(lua);
			boolean found = finding != null && finding.isMistake();
			String what = (finding != null) ? "seed %d breaks %s%s".formatted(finding.run().seed(),
					finding.violation().promise(), found ? "" : " WITHOUT THE MISTAKE") : "NOT FOUND";
			System.out.printf(Locale.ROOT, "%-20s %-45s %.2f s%n", control, what, busySeconds() - started);
			if (finding != null && this.control != null) {
				fail(lua, finding.run());
			}
			all &= found;
		}
		System.out.printf(Locale.ROOT, "%s %d planted mistakes, in %.1f s of CPU time%n",
				all ? "Found all" : "Did NOT find all", (this.control != null) ? 1 : Control.values().length,
				busySeconds() - begin);
		return all;
	}

	/**
	 * Return the CPU time of this thread and of all callers that have ended.
	 */
	private static double busySeconds() {
		return (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() + Caller.busyNanos()) / 1e9;
	}

	private boolean replay(LuaScripts lua) {
		boolean fine = true;
		for (Scenario scenario : this.scenarios) {
			Run run = (this.control != null) ? this.control.run(this.first, this.mended, this.without)
					: new Run(this.first, scenario, Mistake.NONE, this.without);
			Run.Result result = run.go(lua, true);
			System.out.println("Seed " + this.first + ", scenario " + name(scenario) + ", " + run.plan().setting());
			List<Step> steps = run.wholePlan().steps();
			for (int number = 0; number < steps.size(); number++) {
				System.out.printf("  step %d%s at %.3f ms: %s%n", number,
						this.without.contains(number) ? " (left out)" : "", steps.get(number).at() / 1e6,
						steps.get(number));
			}
			result.story().forEach(System.out::println);
			System.out.printf("%d steps, hash %016x%n", result.steps(), result.hash());
			fine &= result.violation() == null;
		}
		return fine;
	}

	private boolean search() {
		try (LuaScripts lua = new LuaScripts()) {
			return search(lua);
		}
	}

	private boolean search(LuaScripts lua) {
		long begin = System.nanoTime();
		double busyBefore = busySeconds();
		long firstSeed = (this.first != Long.MIN_VALUE) ? this.first : System.currentTimeMillis() * 1_000;
		Reached reached = new Reached();
		long steps = 0;
		long hash = 0;
		long next = 0;
		long done = 0;
		long looked = begin;
		Run failed = null;
		while (failed == null && !isOver(done, begin)) {
			long seed = firstSeed + next / this.scenarios.size();
			Scenario scenario = this.scenarios.get((int) (next % this.scenarios.size()));
			next++;
			if (this.scenarios.size() > 1 && !Scenario.dueFor(seed).contains(scenario)) {
				continue;
			}
			Run run = new Run(seed, scenario);
			Run.Result result = run.go(lua, false);
			reached.add(result.counts());
			steps += result.steps();
			hash = 31 * hash + result.hash();
			done++;
			if (result.violation() != null) {
				failed = run;
			}
			long now = System.nanoTime();
			if (now - looked > BETWEEN_LOOKS) {
				looked = now;
				progress(done, begin);
			}
		}
		double took = (System.nanoTime() - begin) / 1e9;
		System.err.print("\r" + " ".repeat(79) + "\r");
		double busy = busySeconds() - busyBefore;
		System.out.printf(
				"%d schedules from seed %d in %.1f s, with %.1f s of CPU time: %.0f schedules and %.0f steps"
						+ " per second of CPU time, hash %016x%n",
				done, firstSeed, took, busy, done / busy, steps / busy, hash);
		reached.add(lua);
		reached.lines().forEach(System.out::println);
		if (failed != null) {
			fail(lua, failed);
			return false;
		}
		System.out.println("No promise was broken.");
		return true;
	}

	private boolean isOver(long done, long begin) {
		return (this.seconds > 0) ? System.nanoTime() - begin >= this.seconds * 1_000_000_000L : done >= this.seeds;
	}

	private void progress(long done, long begin) {
		double part = (this.seconds > 0) ? (System.nanoTime() - begin) / 1e9 / this.seconds
				: (double) done / this.seeds;
		int full = (int) (Math.min(part, 1) * BAR);
		System.err.printf("\r[%s%s] %3.0f %% %d schedules", "=".repeat(full), " ".repeat(BAR - full), part * 100, done);
	}

	private static void fail(LuaScripts lua, Run failed) {
		Run shortest = shrink(lua, failed);
		Run.Result result = shortest.go(lua, true);
		Violation violation = result.violation();
		System.out.printf("%nBROKEN: %s: %s%n%n", (violation != null) ? violation.promise() : "?",
				(violation != null) ? violation.getMessage() : "not broken when run again");
		result.story().forEach(System.out::println);
		String where = Arrays.stream(Control.values())
			.filter((control) -> control.isOf(failed))
			.findFirst()
			.map((control) -> "control " + control)
			.orElse("scenario " + name(failed.scenario()));
		System.out.printf("%nReplay: verification/simulation/run.sh --seed %d --%s%s%n", failed.seed(), where,
				shortest.without().isEmpty() ? "" : " --without "
						+ shortest.without().stream().map(String::valueOf).collect(Collectors.joining(",")));
	}

	/**
	 * Leave out each step without which the same promise is still broken.
	 */
	static Run shrink(LuaScripts lua, Run failed) {
		Run shortest = failed;
		String promise = promise(failed.go(lua, false));
		List<Integer> numbers = new ArrayList<>();
		for (int number = failed.wholePlan().steps().size() - 1; number >= 0; number--) {
			numbers.add(number);
		}
		boolean shorter = true;
		while (shorter) {
			shorter = false;
			for (int number : numbers) {
				if (shortest.without().contains(number)) {
					continue;
				}
				Set<Integer> without = new TreeSet<>(shortest.without());
				without.add(number);
				Run candidate = new Run(failed.seed(), failed.scenario(), failed.mistake(), without);
				if (promise.equals(promise(candidate.go(lua, false)))) {
					shortest = candidate;
					shorter = true;
				}
			}
		}
		return shortest;
	}

	private static String promise(Run.Result result) {
		Violation violation = result.violation();
		return (violation != null) ? violation.promise() : "";
	}

	private static String name(Scenario scenario) {
		return scenario.name().toLowerCase(Locale.ROOT);
	}

}
