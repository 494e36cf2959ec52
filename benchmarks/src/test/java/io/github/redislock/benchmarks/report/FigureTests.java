package io.github.redislock.benchmarks.report;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FigureTests {

	@Test
	void figuresHaveAboutThreeSignificantDigits() {
		assertThat(Figure.plain(0.0314)).isEqualTo("0.031");
		assertThat(Figure.plain(4.618)).isEqualTo("4.62");
		assertThat(Figure.plain(2.0)).isEqualTo("2");
		assertThat(Figure.plain(10.04)).isEqualTo("10");
		assertThat(Figure.plain(117.4)).isEqualTo("117");
		assertThat(Figure.plain(0)).isEqualTo("0");
		assertThat(Figure.plain(91_234.5)).isEqualTo("91 235");
		assertThat(Figure.plain(7_200)).isEqualTo("7200");
		assertThat(Figure.plain(Double.NaN)).isEqualTo("?");
	}

	@Test
	void ratioIsWrittenAsAMultiple() {
		assertThat(Figure.ratio(142, 100)).isEqualTo("1.42 ×");
	}

}
