package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.redislock.testing.CodeBlock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code docs/troubleshooting.md} quotes the messages of warnings and exceptions. The
 * texts that it and {@code docs/common-mistakes.md} quote occur in the code.
 */
class TroubleshootingPageTests {

	private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

	private static final List<String> NOT_FOR_USERS = List.of("Or set 'redis-lock.checks=warn'");

	@Test
	void everyQuotedTextOccursInTheSources() throws IOException {
		assertThat(quoted()).hasSizeGreaterThan(100);
		assertThat(unknown(quoted())).as("Quoted in docs/troubleshooting.md, but not in the code").isEmpty();
	}

	@Test
	void everyTextOfACommonMistakeOccursInTheSources() throws IOException {
		List<String> texts = CodeBlock.in(Pages.DOCS.resolve("common-mistakes.md"), "text")
			.stream()
			.flatMap((block) -> block.lines().stream())
			.toList();

		assertThat(texts).hasSizeGreaterThan(15);
		assertThat(unknown(texts.stream())).isEmpty();
	}

	@Test
	void everyWarningAndExceptionMessageIsOnThePage() throws IOException {
		String page = String.join("\n", quoted().toList());

		List<String> spoken = Messages.read().spoken();

		assertThat(spoken).hasSizeGreaterThan(60);
		assertThat(spoken).filteredOn((piece) -> NOT_FOR_USERS.stream().noneMatch(piece::startsWith))
			.filteredOn((piece) -> !page.contains(piece.strip()))
			.as("In the code, but not in the first column of docs/troubleshooting.md")
			.isEmpty();
	}

	@Test
	void numbersInTextsHaveTheSameDigitsInAllLocales() throws IOException {
		assertThat(Messages.read().localized()).as("Write %s, which is independent of the default locale").isEmpty();
	}

	private static List<String> unknown(Stream<String> texts) throws IOException {
		Messages messages = Messages.read();
		return texts.flatMap((text) -> Messages.pieces(text).stream())
			.filter((piece) -> !messages.contain(piece))
			.toList();
	}

	private static Stream<String> quoted() throws IOException {
		return Files.readAllLines(Pages.DOCS.resolve("troubleshooting.md"))
			.stream()
			.filter((line) -> line.startsWith("| "))
			.map((line) -> line.split(" \\| ", 2)[0])
			.flatMap((cell) -> QUOTED.matcher(cell).results())
			.map((quote) -> quote.group(1));
	}

}
