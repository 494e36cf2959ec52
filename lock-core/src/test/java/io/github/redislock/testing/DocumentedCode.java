package io.github.redislock.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/**
 * The Java code in a page of the documentation, to see whether it is code that is
 * compiled and run.
 * <p>
 * How far it is indented does not matter, and neither do empty lines and {@code this}.
 */
public final class DocumentedCode {

	private final List<List<String>> blocks;

	private DocumentedCode(List<List<String>> blocks) {
		this.blocks = blocks;
	}

	/**
	 * Read the blocks of Java code of a page.
	 * @param page a file in Markdown
	 */
	public static DocumentedCode in(Path page) throws IOException {
		List<List<String>> blocks = new ArrayList<>();
		List<String> block = null;
		for (String line : Files.readAllLines(page)) {
			if (line.strip().equals("```java")) {
				block = new ArrayList<>();
			}
			else if (block != null && line.strip().equals("```")) {
				blocks.add(essence(block));
				block = null;
			}
			else if (block != null) {
				block.add(line);
			}
		}
		return new DocumentedCode(blocks);
	}

	/**
	 * Return the number of blocks.
	 */
	public int size() {
		return this.blocks.size();
	}

	/**
	 * Return the blocks that no source file has as they are.
	 * @param folder where to look for source files
	 */
	public List<String> notFoundIn(Path folder) throws IOException {
		List<List<String>> sources = new ArrayList<>();
		try (Stream<Path> files = Files.walk(folder)) {
			for (Path file : files.filter((each) -> each.toString().endsWith(".java")).toList()) {
				sources.add(essence(Files.readAllLines(file)));
			}
		}
		return this.blocks.stream()
			.filter((block) -> sources.stream().noneMatch((source) -> Collections.indexOfSubList(source, block) >= 0))
			.map((block) -> String.join("\n", block))
			.toList();
	}

	private static List<String> essence(List<String> lines) {
		return lines.stream()
			.map((line) -> line.strip().replace("this.", ""))
			.filter((line) -> !line.isEmpty())
			.toList();
	}

}
