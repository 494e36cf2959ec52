package io.github.redislock.benchmarks.runner;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.report.Metrics;
import io.github.redislock.benchmarks.worker.CrowdWorker;
import io.github.redislock.benchmarks.worker.Message;

/**
 * Very many callers of a new process each wait for a separate lock that another program
 * holds. The process gets half a core, because it runs on one core and is stopped half of
 * the time.
 */
final class CrowdCase implements Case {

	private static final Path TASKSET = Path.of("/usr/bin/taskset");

	private static final String HALF_OF_THE_TIME = "while kill -STOP $0 2>/dev/null;"
			+ " do sleep 0.05; kill -CONT $0; sleep 0.05; done";

	@Override
	public String name() {
		return "crowd";
	}

	@Override
	public String title() {
		return "10 000 callers of a new process on half a core wait 3 s for as many locks";
	}

	@Override
	public List<String> contenders() {
		return List.of(Contenders.OURS);
	}

	@Override
	public String obstacle() {
		return Files.isExecutable(TASKSET) ? "" : "there is no " + TASKSET;
	}

	@Override
	public Run prepare(Bench bench, Contender contender) {
		return new CrowdRun(bench, contender);
	}

	private record CrowdRun(Bench bench, Contender contender) implements Run {

		private static final Duration WAIT = Duration.ofSeconds(3);

		/** How long the locks are held, which is longer than the process lives. */
		private static final Duration HELD = Duration.ofMinutes(10);

		@Override
		public Map<String, Double> round() throws IOException, InterruptedException {
			int callers = this.bench.pace().locks();
			String prefix = this.bench.newName("crowd") + "-";
			for (int caller = 0; caller < callers; caller++) {
				this.bench.console().set(this.contender.key(prefix + caller), "another-program", HELD);
			}
			Process process = new ProcessBuilder(TASKSET.toString(), "-c", "0",
					Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m", "-XX:+UseSerialGC",
					"-cp", System.getProperty("java.class.path"), CrowdWorker.class.getName(),
					this.bench.server().host(), Integer.toString(this.bench.server().port()), prefix,
					Integer.toString(callers), Long.toString(WAIT.toMillis()))
				.redirectError(Path.of("benchmarks", "target", "workers", prefix + "worker.log").toFile())
				.start();
			try {
				new ProcessBuilder("sh", "-c", HALF_OF_THE_TIME, Long.toString(process.pid())).start();
				return values(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
			}
			finally {
				process.destroyForcibly().waitFor();
			}
		}

		private static Map<String, Double> values(String reply) {
			Message ends = Message.parse(reply);
			Map<String, Double> values = new LinkedHashMap<>();
			values.put(Metrics.CROWD_REFUSED, (double) ends.number("REFUSED"));
			values.put(Metrics.CROWD_UNASKED, (double) ends.number("UNASKED"));
			values.put(Metrics.CROWD_UNKNOWN, (double) ends.number("UNKNOWN"));
			values.put(Metrics.LATE + "-p50-ms", (double) ends.number("p50"));
			values.put(Metrics.LATE + "-p99-ms", (double) ends.number("p99"));
			values.put(Metrics.LATE + "-most-ms", (double) ends.number("latest"));
			return values;
		}

		@Override
		public void close() {
		}

	}

}
