package io.github.redislock.benchmarks.stats;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class MedianTests {

	@Test
	void oddCountHasOneMiddleValue() {
		assertThat(Median.of(List.of(9.0, 1.0, 5.0))).isEqualTo(5);
	}

	@Test
	void evenCountHasTwoMiddleValues() {
		assertThat(Median.of(List.of(4.0, 1.0, 100.0, 2.0))).isEqualTo(3);
	}

	@Test
	void emptyInputHasNoMedian() {
		assertThatIllegalArgumentException().isThrownBy(() -> Median.of(List.of()));
	}

}
