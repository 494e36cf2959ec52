package io.github.redislock.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/**
 * The Java code of pages, for tests that it occurs in a source file that is compiled and
 * run.
 * <p>
 * Indentation, empty lines and {@code this} do not matter.
 */
public final class DocumentedCode {

	private final List<CodeBlock> blocks;

	private DocumentedCode(List<CodeBlock> blocks) {
		this.blocks = blocks;
	}

	/**
	 * Read the blocks of Java code of a page.
	 * @param page a file in Markdown
	 */
	public static DocumentedCode in(Path page) throws IOException {
		return of(CodeBlock.in(page, "java"));
	}

	/**
	 * Look at blocks of Java code.
	 * @param blocks the blocks, of any pages
	 */
	public static DocumentedCode of(List<CodeBlock> blocks) {
		return new DocumentedCode(blocks);
	}

	/**
	 * Return the number of blocks.
	 */
	public int size() {
		return this.blocks.size();
	}

	/**
	 * Return the blocks.
	 */
	public List<CodeBlock> blocks() {
		return this.blocks;
	}

	/**
	 * Return the blocks that are in no source file.
	 * @param folder where to look for source files
	 */
	public List<String> notFoundIn(Path folder) throws IOException {
		return without(folder).blocks.stream().map((block) -> block + "\n" + block.text()).toList();
	}

	/**
	 * Return the code without the blocks that are in a source file.
	 * @param folder where to look for source files
	 */
	public DocumentedCode without(Path folder) throws IOException {
		List<List<String>> sources = new ArrayList<>();
		try (Stream<Path> files = Files.walk(folder)) {
			for (Path file : files.filter((each) -> each.toString().endsWith(".java")).toList()) {
				sources.add(essence(Files.readAllLines(file)));
			}
		}
		return of(this.blocks.stream().filter((block) -> !isIn(sources, essence(block.lines()))).toList());
	}

	private static boolean isIn(List<List<String>> sources, List<String> block) {
		return sources.stream().anyMatch((source) -> Collections.indexOfSubList(source, block) >= 0);
	}

	private static List<String> essence(List<String> lines) {
		return lines.stream()
			.map((line) -> line.strip().replace("this.", ""))
			.filter((line) -> !line.isEmpty())
			.toList();
	}

}
