package io.github.redislock.observation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables of {@code docs/metrics.md} are generated here from the documentation in the
 * code.
 */
class MetricsPageTests {

	private static final Path PAGE = Path.of("../docs/metrics.md");

	private static final String BEGIN = "<!-- generated: metrics -->\n";

	private static final String END = "<!-- end -->\n";

	@Test
	void metricsPageMatchesTheCode() throws IOException {
		String page = Files.readString(PAGE);
		int begin = page.indexOf(BEGIN) + BEGIN.length();
		String wanted = page.substring(0, begin) + '\n' + MetricsPage.write() + '\n'
				+ page.substring(page.indexOf(END, begin));
		if (Boolean.getBoolean("docs.write")) {
			Files.writeString(PAGE, wanted);
			return;
		}

		assertThat(page)
			.as("update docs/metrics.md with"
					+ " './mvnw -pl lock-core test -Dtest=MetricsPageTests -Ddocs.write=true'")
			.isEqualTo(wanted);
	}

}
