package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Paragraphs of pages have at most 90 words, and cells of tables at most 30, not counting
 * code.
 */
class ReadablePagesTests {

	private static final int PARAGRAPH = 90;

	private static final int CELL = 30;

	private static final Pattern WORD = Pattern.compile("\\S*\\w\\S*", Pattern.UNICODE_CHARACTER_CLASS);

	private static final Pattern BLOCK = Pattern
		.compile("\\n\\s*\\n|\\n(?=\\s*(?:[-*]|\\d+\\.) )|(?<=\\|)\\n|\\n(?=\\|)");

	@ParameterizedTest
	@MethodSource("pages")
	void paragraphsAndCellsAreShort(Path page) throws IOException {
		assertThat(tooLong(Pages.prose(page))).as("Too long in %s", page).isEmpty();
	}

	@Test
	void longParagraphsAndCellsAreFound() {
		String long90 = "word ".repeat(PARAGRAPH);
		String long30 = "word ".repeat(CELL);

		assertThat(tooLong(long90 + "\n\n| one | " + long30 + "|\n- " + long90)).isEmpty();
		assertThat(tooLong(long90 + "`code` " + long90)).hasSize(1);
		assertThat(tooLong("- one\n- " + long90 + "\nmore\n- two")).hasSize(1);
		assertThat(tooLong("| one |\n| " + long30 + "more | two |")).hasSize(1);
	}

	static List<Path> pages() throws IOException {
		return Pages.all();
	}

	private static List<String> tooLong(String prose) {
		List<String> found = new ArrayList<>();
		for (String block : BLOCK.split(prose.replaceAll("`[^`\\n]+`", "`"))) {
			if (block.startsWith("|")) {
				for (String cell : block.split("\\|")) {
					addIfLonger(cell, CELL, found);
				}
			}
			else {
				addIfLonger(block, PARAGRAPH, found);
			}
		}
		return found;
	}

	private static void addIfLonger(String text, int limit, List<String> found) {
		long words = WORD.matcher(text).results().count();
		if (words > limit) {
			found.add("%d words: %s".formatted(words, text.strip()));
		}
	}

}
