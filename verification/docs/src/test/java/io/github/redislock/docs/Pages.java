package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.github.redislock.testing.CodeBlock;

/**
 * The pages of the documentation.
 */
final class Pages {

	static final Path PROJECT = Path.of("..", "..");

	static final Path README = PROJECT.resolve("README.md");

	static final Path DOCS = PROJECT.resolve("docs");

	private static final List<String> FOLDERS = List.of("docs", "samples", "benchmarks", "verification");

	private Pages() {
	}

	/**
	 * Return the pages for users: README.md, its translation, the page for tools, and all
	 * pages in docs.
	 */
	static List<Path> ofUsers() throws IOException {
		return Stream.concat(inFolder(PROJECT, 1), inFolder(DOCS, 9)).filter(Pages::isForUsers).sorted().toList();
	}

	/**
	 * Return the pages for users that are not about internals.
	 */
	static List<Path> ofUsersOnly() throws IOException {
		return ofUsers().stream().filter((page) -> !isAboutTheInside(page)).toList();
	}

	private static boolean isAboutTheInside(Path page) {
		return page.startsWith(DOCS.resolve("decisions"))
				|| List.of("architecture.md", "releasing.md").contains(page.getFileName().toString());
	}

	/**
	 * Return all pages, including those for contributors.
	 */
	static List<Path> all() throws IOException {
		Stream<Path> pages = inFolder(PROJECT, 1);
		for (String folder : FOLDERS) {
			pages = Stream.concat(pages, inFolder(PROJECT.resolve(folder), 9));
		}
		return pages.sorted().toList();
	}

	/**
	 * Return the blocks of code in the pages for users, in the given languages, or in all
	 * languages if none is given.
	 */
	static List<CodeBlock> blocks(String... languages) throws IOException {
		List<String> wanted = List.of(languages);
		Stream<CodeBlock> blocks = Stream.empty();
		for (Path page : ofUsers()) {
			blocks = Stream.concat(blocks, CodeBlock.in(page).stream());
		}
		return blocks.filter((block) -> wanted.isEmpty() || wanted.contains(block.language())).toList();
	}

	/**
	 * Return the text of a page without code blocks and link targets.
	 */
	static String prose(Path page) throws IOException {
		return Files.readString(page)
			.replaceAll("(?ms)^[ \\t]*```.*?^[ \\t]*```", "")
			.replaceAll("\\]\\([^)]*\\)", "]");
	}

	static boolean isPage(Path file) {
		return file.toString().endsWith(".md") || file.endsWith("llms.txt");
	}

	private static boolean isForUsers(Path page) {
		return !List.of("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md").contains(page.getFileName().toString());
	}

	private static Stream<Path> inFolder(Path folder, int depth) throws IOException {
		try (Stream<Path> files = Files.walk(folder, depth)) {
			return files.filter(Pages::isPage)
				.filter((file) -> !file.toString().contains("/target/"))
				.toList()
				.stream();
		}
	}

}
