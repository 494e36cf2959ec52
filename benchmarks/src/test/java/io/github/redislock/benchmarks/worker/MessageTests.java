package io.github.redislock.benchmarks.worker;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class MessageTests {

	@Test
	void writtenValuesAreReadBack() {
		Message written = Message.of("loop")
			.with("key", "a=b")
			.with("threads", 4)
			.with("lease", Duration.ofSeconds(2))
			.with("shared", true)
			.with("counts", "1,2,3")
			.with("text", "no spaces\nhere");

		Message read = Message.parse(written.toString());

		assertThat(read.word()).isEqualTo("loop");
		assertThat(read.text("key")).isEqualTo("a=b");
		assertThat(read.number("threads")).isEqualTo(4);
		assertThat(read.duration("lease")).isEqualTo(Duration.ofSeconds(2));
		assertThat(read.flag("shared")).isTrue();
		assertThat(read.numbers("counts")).containsExactly(1, 2, 3);
		assertThat(read.text("text")).isEqualTo("no_spaces_here");
	}

	@Test
	void missingValueIsNamedInTheError() {
		assertThatIllegalArgumentException().isThrownBy(() -> Message.of("loop").text("key"))
			.withMessageContaining("key");
	}

}
