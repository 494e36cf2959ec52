package io.github.redislock.benchmarks.report;

import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class ResultsFileTests {

	@TempDir
	private Path folder;

	@Test
	void writtenValuesAreReadBack() throws Exception {
		Results results = new Results(Map.of("redis", "7.0.15"));
		results.add("free", "ours", Map.of("p50", 1.0));
		results.add("free", "ours", Map.of("p50", 3.0));
		results.add("free", "ours", Map.of("p50", 2.5));
		results.add("crowd", "ours", Map.of("share", Double.NaN));
		Path file = this.folder.resolve("20260101-000000.json");

		ResultsFile.write(results, file);
		Results read = ResultsFile.read(ResultsFile.newest(this.folder));

		assertThat(read.machine()).isEqualTo(results.machine());
		assertThat(read.series()).isEqualTo(results.series());
		assertThat(read.median("free", "ours", "p50")).hasValue(2.5);
		assertThat(read.median("free", "redisson", "p50")).isEmpty();
	}

}
