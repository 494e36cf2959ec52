package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import io.github.redislock.testing.CodeBlock;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The translation of the README has the same structure, code and links.
 */
@Tag("thorough")
class TranslationTests {

	private static final Path CHINESE = Pages.PROJECT.resolve("README.zh-CN.md");

	/** A comment of Java or YAML, at the end of a line. */
	private static final Pattern COMMENT = Pattern.compile("[ \\t]+(?://|#) .*");

	@Test
	void codeMatchesTheOriginalExceptForComments() throws IOException {
		assertThat(code(CHINESE)).isNotEmpty().isEqualTo(code(Pages.README));
	}

	@Test
	void headingsTablesAndListsMatchTheOriginal() throws IOException {
		assertThat(outline(CHINESE)).isEqualTo(outline(Pages.README));
	}

	@Test
	void linksMatchTheOriginal() throws IOException {
		assertThat(targets(CHINESE)).containsExactlyInAnyOrderElementsOf(targets(Pages.README));
	}

	/**
	 * Return the code without comments, because these are translated.
	 */
	private static List<Tuple> code(Path page) throws IOException {
		return CodeBlock.in(page)
			.stream()
			.map((block) -> Tuple.tuple(block.language(), COMMENT.matcher(block.text()).replaceAll("")))
			.toList();
	}

	/**
	 * Return the levels of headings, and the positions of table rows and list items.
	 */
	private static List<String> outline(Path page) throws IOException {
		return Files.readString(page)
			.replaceAll("(?ms)^```.*?^```", "")
			.lines()
			.filter((line) -> line.matches("(?:#+|\\||-|\\d+\\.) .*"))
			.map((line) -> line.replaceFirst(" .*", ""))
			.toList();
	}

	/**
	 * Return the linked files without anchors, because the headings are translated. Omit
	 * the two pages themselves, which link to each other.
	 */
	private static List<String> targets(Path page) throws IOException {
		return Pattern.compile("\\]\\(([^)#]+)")
			.matcher(Files.readString(page))
			.results()
			.map((link) -> link.group(1))
			.filter((target) -> !target.startsWith("README"))
			.distinct()
			.toList();
	}

}
