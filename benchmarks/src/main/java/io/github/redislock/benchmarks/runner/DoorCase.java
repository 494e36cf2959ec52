package io.github.redislock.benchmarks.runner;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.report.Metrics;
import io.github.redislock.benchmarks.worker.DoorWorker;
import io.github.redislock.benchmarks.worker.Message;

/**
 * A crowd requests one lock, first in blocking calls and then with futures. The queue of
 * the lock is already full, so the crowd is refused.
 */
final class DoorCase implements Case {

	private static final int CROWD = 20_000;

	private static final int SMOKE_CROWD = 200;

	@Override
	public String name() {
		return "crowd-at-the-door";
	}

	@Override
	public String title() {
		return "20 000 callers in 2 s request one lock for which 100 callers already wait";
	}

	@Override
	public List<String> contenders() {
		return List.of(Contenders.OURS);
	}

	@Override
	public Run prepare(Bench bench, Contender contender) {
		return new DoorRun(bench);
	}

	private record DoorRun(Bench bench) implements Run {

		@Override
		public Map<String, Double> round() throws IOException {
			String name = this.bench.newName("door");
			int crowd = this.bench.pace().is(Pace.SMOKE) ? SMOKE_CROWD : CROWD;
			Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
					"-Xmx512m", "-cp", System.getProperty("java.class.path"), DoorWorker.class.getName(),
					this.bench.server().host(), Integer.toString(this.bench.server().port()), name,
					Integer.toString(crowd), Long.toString(this.bench.pace().window().toMillis()))
				.redirectError(Path.of("benchmarks", "target", "workers", name + "-worker.log").toFile())
				.start();
			try {
				return values(
						Message
							.parse(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip()),
						crowd);
			}
			finally {
				process.destroyForcibly();
			}
		}

		private static Map<String, Double> values(Message result, int crowd) {
			Map<String, Double> values = new LinkedHashMap<>();
			double alone = result.number("alone");
			values.put(Metrics.RATE_ALONE, alone / 100);
			for (String kind : List.of("blocking", "futures")) {
				values.put(Metrics.RATE_SHARE + "-" + kind, result.number(kind + "-rate") / alone);
				values.put(Metrics.REFUSAL + "-" + kind + Metrics.P50, result.number(kind + "-p50") / 1e3);
				values.put(Metrics.REFUSAL + "-" + kind + Metrics.P99, result.number(kind + "-p99") / 1e3);
				values.put(Metrics.CROWD_REFUSED + "-" + kind, (double) crowd - result.number(kind + "-admitted"));
			}
			values.put(Metrics.REFUSAL_BYTES, result.number("heap") / (2.0 * crowd));
			return values;
		}

		@Override
		public void close() {
		}

	}

}
