package io.github.redislock.benchmarks.report;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class MarkersTests {

	private final Markers markers = new Markers("results");

	@Test
	void onlyTextBetweenTheMarkersIsReplaced() {
		String page = "before\n<!-- results:begin -->\nold\n<!-- results:end -->\nafter\n";

		String replaced = this.markers.replace(page, "new\n");

		assertThat(replaced).isEqualTo("before\n<!-- results:begin -->\n\nnew\n\n<!-- results:end -->\nafter\n");
		assertThat(this.markers.replace(replaced, "new")).isEqualTo(replaced);
	}

	@Test
	void pageWithoutMarkersIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.markers.replace("page", "new"))
			.withMessageContaining("results:begin");
	}

}
