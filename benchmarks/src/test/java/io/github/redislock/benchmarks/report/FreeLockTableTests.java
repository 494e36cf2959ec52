package io.github.redislock.benchmarks.report;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class FreeLockTableTests {

	private final Results results = new Results(Map.of(Report.SERVER, "Redis 7.0.15"));

	@Test
	void ratioComesFromTheSameRoundsAndFromTheMedianOfTheProcesses() {
		double[] raw = { 100, 200, 100, 200, 100, 200 };
		double[] ours = { 120, 240, 150, 300, 90, 180 };
		for (int round = 0; round < raw.length; round++) {
			measured("free", "raw", raw[round], round / 2);
			measured("free", "ours", ours[round], 10 + round / 2);
		}
		assertThat(new FreeLockTable(this.results).write()).contains("| **Redis 7.0.15, one core** |")
			.contains("| raw Lettuce | 150 | 100–200 | 30 | 1 | 1–1 | – |")
			.contains("| Redis Lock | 165 | 120–240 | 30 | **1.2** (≤ 1.1, missed by 9.09 %) | 0.9–1.5 | – |");
	}

	@Test
	void targetIsStricterOnServersThatCompareAndDelete() {
		measured("free@Valkey 9.1.2", "raw", 100, 1);
		measured("free@Valkey 9.1.2", "spring-spin", 120, 2);
		measured("free@Valkey 9.1.2", "ours", 108, 3);
		assertThat(new FreeLockTable(this.results).write()).contains("| **Valkey 9.1.2, one core** |")
			.contains("**1.08** (≤ 1, missed by 8 %) | 1.08–1.08 | **0.9** (≤ 0.95) |");
	}

	@ParameterizedTest
	@CsvSource({ "Redis 7.0.15, false", "Redis 8.0.2, false", "Redis 8.4.0, true", "Redis 8.6.3, true",
			"Redis 10.0.0, true", "Redis ?, false", "Valkey 8.1.4, false", "Valkey 9.1.2, true" })
	void newServersCompareAndDelete(String server, boolean expected) {
		assertThat(FreeLockTable.comparesAndDeletes(server)).isEqualTo(expected);
	}

	@Test
	void sentencesShowOnlyWhatWasMeasured() {
		for (String contender : new String[] { "raw", "ours", "ours-jedis", "spring-spin", "redisson" }) {
			measured("free", contender, 100, 1);
		}
		assertThat(new FreeLockTable(this.results).sentences())
			.startsWith("With Redis 7.0.15 and its client on one core, ")
			.contains("100 µs with Redis Lock over Lettuce and 100 over Jedis")
			.doesNotContain("64 threads");
	}

	private void measured(String caseName, String contender, double p50, int jvm) {
		this.results.add(caseName, contender, Map.of("pair-p50-us-one-core", p50,
				"server-cpu-us-per-acquisition-one-core", 30.0, "jvm", (double) jvm));
	}

}
