package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code docs/troubleshooting.md} quotes what the code says, and all of it.
 */
class TroubleshootingPageTests {

	private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

	/** Texts of Spring, of Redis, or of programming mistakes that nobody can make. */
	private static final List<String> NOT_FOR_USERS = List.of("Lua script ", "Every Java platform has SHA-1",
			"Or set 'redis-lock.checks=warn'");

	@Test
	void everyTextThatThePageQuotesIsInTheSources() throws IOException {
		Messages messages = Messages.read();

		List<String> unknown = quoted().flatMap((text) -> Messages.pieces(text).stream())
			.filter((piece) -> !messages.contain(piece))
			.toList();

		assertThat(quoted()).hasSizeGreaterThan(100);
		assertThat(unknown).isEmpty();
	}

	@Test
	void everythingThatWarningsAndExceptionsSayIsOnThePage() throws IOException {
		String page = String.join("\n", quoted().toList());

		List<String> spoken = Messages.read().spoken();

		assertThat(spoken).hasSizeGreaterThan(60);
		assertThat(spoken).filteredOn((piece) -> NOT_FOR_USERS.stream().noneMatch(piece::startsWith))
			.filteredOn((piece) -> !page.contains(piece.strip()))
			.isEmpty();
	}

	/**
	 * Return the texts in the first columns.
	 */
	private static Stream<String> quoted() throws IOException {
		return Files.readAllLines(Pages.DOCS.resolve("troubleshooting.md"))
			.stream()
			.filter((line) -> line.startsWith("| "))
			.map((line) -> line.split(" \\| ", 2)[0])
			.flatMap((cell) -> QUOTED.matcher(cell).results())
			.map((quote) -> quote.group(1));
	}

}
