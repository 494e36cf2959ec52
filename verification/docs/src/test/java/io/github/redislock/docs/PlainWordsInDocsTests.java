package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Pages and the comments of scripts name their subjects: a caller, the thread, it. The
 * same rule holds for comments in Java, where Checkstyle applies it.
 */
class PlainWordsInDocsTests {

	private static final Pattern HABIT = Pattern.compile("\\b(?:whoever|nobody\\s+who|he|his|him|himself)\\b"
			+ "|\\banswers\\s+(?:(?:an?|the|its|no|yes|nothing|null|true|false|whether|what|which|how|with)\\b|`)",
			Pattern.CASE_INSENSITIVE);

	/** Code, and messages in it, are quoted as they are. */
	private static final Pattern CODE = Pattern.compile("(?ms)^[ \\t]*```.*?^[ \\t]*```|`[^`\\n]+`");

	private static final Path SCRIPTS = Pages.PROJECT.resolve("lock-core/src/main/resources");

	@ParameterizedTest
	@MethodSource("texts")
	void textUsesPlainWords(Path file) throws IOException {
		assertThat(habits(Files.readString(file)))
			.as("In %s, name the subject (a caller, the thread, it), and let methods return instead of answer", file)
			.isEmpty();
	}

	@Test
	void habitsAreFound() {
		assertThat(habits("One.\nWhoever waits\nfor his turn")).containsExactly("line 2: Whoever", "line 3: his");
		assertThat(habits("Nobody\nwho waits: `SKIP` answers `null`")).containsExactly("line 1: Nobody who",
				"line 2: answers `");
		assertThat(habits("The method answers a future.")).containsExactly("line 1: answers a");
	}

	@Test
	void codeAndOtherWordsAreNot() {
		assertThat(habits("the header, this, `taken from whoever held it`, a server that answers at once")).isEmpty();
		assertThat(habits("```\nwhoever\n```\nhis")).containsExactly("line 4: his");
	}

	static Stream<Path> texts() throws IOException {
		try (Stream<Path> files = Files.walk(SCRIPTS)) {
			List<Path> scripts = files.filter((file) -> file.toString().endsWith(".lua")).sorted().toList();
			return Stream.concat(Pages.ofUsers().stream(), scripts.stream());
		}
	}

	private static List<String> habits(String text) {
		String prose = CODE.matcher(text).replaceAll((code) -> "`" + "\n".repeat(lines(code.group())) + "`");
		return HABIT.matcher(prose)
			.results()
			.map((habit) -> "line %d: %s".formatted(lines(prose.substring(0, habit.start())) + 1,
					habit.group().replaceAll("\\s+", " ")))
			.toList();
	}

	private static int lines(String text) {
		return (int) text.chars().filter((character) -> character == '\n').count();
	}

}
