package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.redislock.testing.CodeBlock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code docs/troubleshooting.md} and {@code docs/common-mistakes.md} quote the messages
 * of warnings and exceptions, except for those that explain themselves. The texts that
 * they quote occur in the code.
 */
class TroubleshootingPageTests {

	private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

	/**
	 * The messages that say themselves what to do, or that are part of a report with an
	 * action: the longest constant piece of each, sorted.
	 */
	private static final Path EXPLAINED = Path.of("src/test/resources/docs/explained-messages.txt");

	@Test
	void everyQuotedTextOccursInTheSources() throws IOException {
		assertThat(quoted()).hasSizeGreaterThan(80);
		assertThat(unknown(quoted())).as("Quoted in docs/troubleshooting.md, but not in the code").isEmpty();
	}

	@Test
	void everyTextOfACommonMistakeOccursInTheSources() throws IOException {
		List<String> texts = ofCommonMistakes().toList();

		assertThat(texts).hasSizeGreaterThan(4);
		assertThat(unknown(texts.stream())).isEmpty();
	}

	@Test
	void everyWarningAndExceptionMessageIsOnAPageOrExplainsItself() throws IOException {
		String pages = String.join("\n", Stream.concat(quoted(), ofCommonMistakes()).toList());
		List<String> explained = explained();

		List<String> spoken = Messages.read().spoken();

		assertThat(spoken).hasSizeGreaterThan(60);
		assertThat(spoken).filteredOn((piece) -> !pages.contains(piece.strip()))
			.filteredOn((piece) -> !explained.contains(piece.strip()))
			.as("In the code, but neither quoted in docs/troubleshooting.md (first column) or docs/common-mistakes.md, "
					+ "nor in %s", EXPLAINED)
			.isEmpty();
	}

	@Test
	void listOfMessagesThatExplainThemselvesIsExact() throws IOException {
		String pages = String.join("\n", Stream.concat(quoted(), ofCommonMistakes()).toList());
		List<String> spoken = Messages.read().spoken().stream().map(String::strip).toList();

		assertThat(explained()).isSorted().doesNotHaveDuplicates().isSubsetOf(spoken).noneMatch(pages::contains);
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

	private static Stream<String> ofCommonMistakes() throws IOException {
		return CodeBlock.in(Pages.DOCS.resolve("common-mistakes.md"), "text")
			.stream()
			.flatMap((block) -> block.lines().stream());
	}

	private static List<String> explained() throws IOException {
		return Files.readAllLines(EXPLAINED).stream().filter((line) -> !line.startsWith("#")).toList();
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
