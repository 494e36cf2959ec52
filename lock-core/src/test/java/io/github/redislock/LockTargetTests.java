package io.github.redislock;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LockTargetTests {

	@Test
	void targetsOfOneNameAreEqual() {
		LockTarget target = LockTarget.of("order:42");

		assertThat(target).isEqualTo(LockTarget.of("order:42"))
			.hasSameHashCodeAs(LockTarget.of("order:42"))
			.hasToString("order:42")
			.isNotEqualTo(LockTarget.of("order:43"))
			.isNotEqualTo("order:42");
		assertThat(target.name()).isEqualTo("order:42");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\u3000", "\n" })
	void nameMustNotBeBlank(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockTarget.of(name))
			.withMessage("lock name must not be blank");
	}

	@Test
	void nameMustNotHaveControlCharacters() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockTarget.of("a\nb"))
			.withMessage("lock name must not have control characters but has U+000A");
		assertThatIllegalArgumentException().isThrownBy(() -> LockTarget.of("a\u0085b"))
			.withMessage("lock name must not have control characters but has U+0085");
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "ü", "€", "🔒" })
	void nameHas1024BytesAtMost(String character) {
		int bytes = character.getBytes(StandardCharsets.UTF_8).length;
		String longest = character.repeat(LockTarget.MAX_NAME_BYTES / bytes);

		assertThat(LockTarget.of(longest).name()).isEqualTo(longest);
		assertThatIllegalArgumentException().isThrownBy(() -> LockTarget.of(longest + character))
			.withMessageStartingWith("lock name must have at most 1024 bytes in UTF-8 but has 102")
			.withMessageEndingWith("…'");
	}

}
