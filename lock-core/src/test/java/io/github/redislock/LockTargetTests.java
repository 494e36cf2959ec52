package io.github.redislock;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LockTargetTests {

	@Test
	void targetsOfTheSameNameAreEqual() {
		LockTarget target = LockTarget.of("order:42");

		assertThat(target).isEqualTo(LockTarget.of("order:42"))
			.hasSameHashCodeAs(LockTarget.of("order:42"))
			.hasToString("order:42")
			.isNotEqualTo(LockTarget.of("order:43"))
			.isNotEqualTo("order:42");
		assertThat(target.name()).isEqualTo("order:42");
	}

	@Test
	void lockOfNameAndKeyCanBeShared() {
		assertThat(LockTarget.of("prices", "a:b").forReading())
			.isEqualTo(LockTarget.of(LockTarget.of("prices", "a:b").name()).forReading())
			.isNotEqualTo(LockTarget.of("prices", "a:b"))
			.hasToString("prices:a%3Ab (read)");
		assertThat(LockTarget.of("export", 7).permits(3)).as("the number is the key")
			.isEqualTo(LockTarget.of("export:7").permits(3))
			.hasToString("export:7 (3 permits)");
		assertThatIllegalArgumentException().isThrownBy(() -> LockTarget.of("export", 7).permits(0));
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "ü", "€", "🔒" })
	void nameHasAtMost1024Bytes(String character) {
		int bytes = character.getBytes(StandardCharsets.UTF_8).length;
		String longest = character.repeat(LockTarget.MAX_NAME_BYTES / bytes);

		assertThat(LockTarget.of(longest).name()).isEqualTo(longest);
		assertThatIllegalArgumentException().isThrownBy(() -> LockTarget.of(longest + character))
			.withMessageStartingWith("lock name must have at most 1024 bytes in UTF-8 but has 102")
			.withMessageEndingWith("…'");
		assertThatIllegalArgumentException().as("with an encoded key")
			.isThrownBy(() -> LockTarget.of("name", ":".repeat(341)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\u3000", "\n", "a\nb", "a\u0085b", "a\u2028b", "a\u2029b" })
	void nameMustNotBeBlankOrContainControlCharactersOrLineSeparators(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockTarget.of(name));
	}

	@ParameterizedTest
	@CsvSource({ "55357", "56482" })
	void nameMustNotContainUnpairedSurrogates(int half) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockTarget.of("a" + (char) half + "b"));
	}

	@Test
	void keyIsAppendedToTheName() {
		assertThat(LockTarget.of("payment", 4711)).isEqualTo(LockTarget.of("payment:4711"));
		assertThat(LockTarget.of("payment", "a/b c")).hasToString("payment:a/b c");
	}

	@Test
	void differentNameAndKeyPairsAreDifferentLocks() {
		assertThat(LockTarget.of("a", "b:c")).hasToString("a:b%3Ac").isNotEqualTo(LockTarget.of("a:b", "c"));
		assertThat(LockTarget.of("a", "b%3Ac")).hasToString("a:b%253Ac");
	}

	@Test
	void nameAndKeyCanBeParsedFromTheLockName() {
		Random random = new Random(42);
		for (int i = 0; i < 10_000; i++) {
			String name = text(random);
			String key = text(random);

			String lock = LockTarget.of(name, key).name();

			int end = lock.lastIndexOf(':');
			assertThat(lock.substring(0, end)).isEqualTo(name);
			assertThat(URLDecoder.decode(lock.substring(end + 1), StandardCharsets.UTF_8)).isEqualTo(key);
		}
	}

	@Test
	@SuppressWarnings("NullAway")
	void nameAndKeyMustNotBeNull() {
		String nothing = null;

		assertThatIllegalArgumentException().isThrownBy(() -> LockTarget.of("pay", nothing));
		assertThatIllegalArgumentException().isThrownBy(() -> LockTarget.of(nothing));
		assertThatIllegalArgumentException().isThrownBy(() -> LockTarget.of(nothing, "7"));
	}

	@ParameterizedTest
	@CsvSource({ "' ', key", "name, ' '", "name, ''" })
	void nameAndKeyMustNotBeBlank(String name, String key) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockTarget.of(name, key));
	}

	@Test
	void setsOfLocksAreEqualRegardlessOfOrderAndDuplicates() {
		LockTarget target = LockTarget.allOf(LockTarget.of("b"), LockTarget.of("a"), LockTarget.of("b"));

		assertThat(target).isEqualTo(LockTarget.allOf(List.of(LockTarget.of("a"), LockTarget.of("b"))))
			.hasSameHashCodeAs(LockTarget.allOf(LockTarget.of("a"), LockTarget.of("b")))
			.hasToString("a + b")
			.isNotEqualTo(LockTarget.of("a + b"))
			.isNotEqualTo(LockTarget.allOf(LockTarget.of("a"), LockTarget.of("c")));
		assertThat(target.names()).containsExactly("a", "b");
		assertThat(target.each()).containsExactly(LockTarget.of("a"), LockTarget.of("b"));
		assertThat(target.isSeveral()).isTrue();
	}

	@Test
	void setWithOneDistinctLockEqualsThatLock() {
		LockTarget one = LockTarget.of("a");

		assertThat(LockTarget.allOf(one, one)).isEqualTo(one).hasToString("a");
		assertThat(LockTarget.allOf(one).isSeveral()).isFalse();
		assertThat(one.each()).containsExactly(one);
	}

	@Test
	void nestedSetsOfLocksAreFlattened() {
		LockTarget inner = LockTarget.allOf(LockTarget.of("c"), LockTarget.of("a"));

		assertThat(LockTarget.allOf(LockTarget.of("b"), inner).names()).containsExactly("a", "b", "c");
	}

	@Test
	void nameOfManyLocksShowsTheFirstFew() {
		LockTarget target = LockTarget
			.allOf(IntStream.range(10, 30).mapToObj((number) -> LockTarget.of("stock", number)).toList());

		assertThat(target.name()).isEqualTo(
				"stock:10 + stock:11 + stock:12 + stock:13 + stock:14 + stock:15" + " + stock:16 + stock:17 + 12 more");
	}

	@Test
	void sharedLocksAreEqualIfNameAndSharingModeAreEqual() {
		LockTarget read = LockTarget.of("order:42").forReading();
		LockTarget permit = LockTarget.of("order:42").permits(3);

		assertThat(read).isEqualTo(LockTarget.of("order:42").forReading())
			.hasSameHashCodeAs(LockTarget.of("order:42").forReading())
			.isNotEqualTo(LockTarget.of("order:42"))
			.isNotEqualTo(LockTarget.of("order:43").forReading())
			.isNotEqualTo(permit);
		assertThat(permit).isEqualTo(LockTarget.of("order:42").permits(3))
			.hasSameHashCodeAs(LockTarget.of("order:42").permits(3))
			.isNotEqualTo(LockTarget.of("order:42").permits(2));
		assertThat(LockTarget.of("order:42").permits(1)).isNotEqualTo(LockTarget.of("order:42"));
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, -1, Integer.MIN_VALUE })
	void numberOfPermitsMustBeAtLeastOne(int permits) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockTarget.of("order:42").permits(permits));
	}

	@Test
	void setOfLocksMustNotContainASharedLock() {
		LockTarget read = LockTarget.of("a").forReading();

		for (LockTarget other : List.of(LockTarget.of("b"), LockTarget.of("a"), LockTarget.of("b").forReading(),
				LockTarget.of("a").permits(2))) {
			assertThatIllegalArgumentException().isThrownBy(() -> LockTarget.allOf(read, other));
		}
		assertThat(LockTarget.allOf(read, read)).isEqualTo(read);
		assertThat(read.each()).containsExactly(read);
		assertThat(read.exclusive()).isEqualTo(LockTarget.of("a"));
	}

	@Test
	void metricNameIsTheNameWithoutItsKey() {
		assertThat(LockTarget.of("order", 42).metricName()).isEqualTo("order");
		assertThat(LockTarget.of("order", 42).forReading().metricName()).isEqualTo("order");
		assertThat(LockTarget.of("order", 42).forReading().exclusive().metricName()).isEqualTo("order");
		assertThat(LockTarget.of("order", 42).permits(3).metricName()).isEqualTo("order");
		assertThat(LockTarget.of("order:42").metricName()).isNull();
		assertThat(LockTarget.of("order:42").withMetricName("orders").metricName()).isEqualTo("orders");
	}

	@Test
	void severalLocksHaveTheMetricNameThatTheyShare() {
		LockTarget one = LockTarget.of("order", 1);
		LockTarget two = LockTarget.of("order", 2);

		assertThat(LockTarget.allOf(two, one).metricName()).isEqualTo("order");
		assertThat(LockTarget.allOf(one, LockTarget.of("stock", 1)).metricName()).isNull();
		assertThat(LockTarget.allOf(one, LockTarget.of("nightly")).metricName()).isNull();
		assertThat(LockTarget.allOf(two, one).each()).extracting(LockTarget::metricName)
			.containsExactly("order", "order");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a\nb" })
	void metricNameMustBeAValidName(String metricName) {
		LockTarget target = LockTarget.of("order:42");

		assertThatIllegalArgumentException().isThrownBy(() -> target.withMetricName(metricName));
	}

	private static String text(Random random) {
		return IntStream.range(0, 1 + random.nextInt(6))
			.mapToObj((i) -> Character.toString("ab:%25Aü".charAt(random.nextInt(8))))
			.collect(Collectors.joining());
	}

}
