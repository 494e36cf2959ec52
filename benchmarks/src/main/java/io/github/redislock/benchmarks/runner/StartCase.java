package io.github.redislock.benchmarks.runner;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.report.Metrics;
import io.github.redislock.benchmarks.startup.StartedApplication;
import io.github.redislock.benchmarks.worker.Message;

/**
 * The CPU time and the classes that an application needs until two calls under a lock
 * have returned. The limit is the same application without a lock library.
 */
final class StartCase implements Case {

	private static final int CAREFUL_ROUNDS = 7;

	@Override
	public String name() {
		return "start";
	}

	@Override
	public String title() {
		return "Start of an application until two calls have returned, C1 only";
	}

	@Override
	public List<String> contenders() {
		return List.of(Contenders.RAW, Contenders.OURS, Contenders.REDISSON, Contenders.SPRING_SPIN);
	}

	@Override
	public int rounds(Pace pace) {
		return pace.is(Pace.FULL) ? Math.max(CAREFUL_ROUNDS, pace.rounds()) : pace.rounds();
	}

	@Override
	public Run prepare(Bench bench, Contender contender) {
		return new StartRun(bench, contender);
	}

	private record StartRun(Bench bench, Contender contender) implements Run {

		@Override
		public Map<String, Double> round() throws IOException {
			Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
					"-XX:TieredStopAtLevel=1", "-cp", classPath(), StartedApplication.class.getName(),
					this.contender.name(), this.bench.server().host(), Integer.toString(this.bench.server().port()))
				.redirectError(ProcessBuilder.Redirect.DISCARD)
				.start();
			String reply = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
			if (!reply.startsWith("ok")) {
				throw new IllegalStateException("The application did not start");
			}
			Message started = Message.parse(reply);
			return Map.of(Metrics.START_CPU, (double) started.number("cpu"), Metrics.START_CLASSES,
					(double) started.number("classes"));
		}

		/**
		 * Return the class path. For other contenders, it lacks this project's
		 * auto-configuration.
		 */
		private String classPath() {
			return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
				.filter((entry) -> this.contender.name().equals(Contenders.OURS)
						|| !entry.contains("lock-spring-boot-autoconfigure"))
				.collect(Collectors.joining(File.pathSeparator));
		}

		@Override
		public void close() {
		}

	}

}
