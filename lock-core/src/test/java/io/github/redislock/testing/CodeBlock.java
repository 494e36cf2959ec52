package io.github.redislock.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A block of code in a page of the documentation, as readers see it.
 *
 * @param page the file in Markdown
 * @param line the number of its first line there, from 1
 * @param language the text after the three back quotes that begin it
 * @param text its lines
 */
public record CodeBlock(Path page, int line, String language, String text) {

	private static final String FENCE = "```";

	/**
	 * Read all blocks of a page.
	 * @param page a file in Markdown
	 * @throws IllegalStateException if the last block has no end
	 */
	public static List<CodeBlock> in(Path page) throws IOException {
		List<CodeBlock> blocks = new ArrayList<>();
		List<String> lines = Files.readAllLines(page);
		for (int begin = 0; begin < lines.size(); begin++) {
			String opening = lines.get(begin).strip();
			if (!opening.startsWith(FENCE)) {
				continue;
			}
			int indent = lines.get(begin).indexOf(FENCE);
			int end = begin + 1;
			while (end < lines.size() && !lines.get(end).strip().equals(FENCE)) {
				end++;
			}
			if (end == lines.size()) {
				throw new IllegalStateException("%s: the block of line %d has no end".formatted(page, begin + 1));
			}
			List<String> text = lines.subList(begin + 1, end)
				.stream()
				.map((line) -> line.substring(Math.min(indent, line.length())))
				.toList();
			blocks.add(
					new CodeBlock(page, begin + 2, opening.substring(FENCE.length()).strip(), String.join("\n", text)));
			begin = end;
		}
		return blocks;
	}

	/**
	 * Read the blocks of a page that are written in one language.
	 * @param page a file in Markdown
	 * @param language the whole text after the three back quotes
	 */
	public static List<CodeBlock> in(Path page, String language) throws IOException {
		return in(page).stream().filter((block) -> block.language().equals(language)).toList();
	}

	/**
	 * Return the lines of the block.
	 */
	public List<String> lines() {
		return this.text.lines().toList();
	}

	@Override
	public String toString() {
		return "%s:%d".formatted(this.page.getFileName(), this.line);
	}

}
