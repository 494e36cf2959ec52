package io.github.redislock.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each published jar has at most as many lines of code as {@code verification/budget.txt}
 * says. Lines of Java and Lua count, except for blank lines, comments, imports and
 * package declarations. With {@code -Ddocs.write=true}, the table is rewritten unless a
 * jar has grown.
 */
class BudgetTests {

	private static final Path TABLE = Pages.PROJECT.resolve("verification/budget.txt");

	private static final String HEAD = """
			# Lines of code of what we publish, at most. They may fall in any commit. They rise
			# only together with a page in docs/decisions that says what users get for it. This
			# command lowers the numbers to those of the code:
			#   ./mvnw -q -pl verification/docs -am test -Dtest=BudgetTests \\
			#     -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.write=true
			""";

	private static final String ALL = "all jars";

	@Test
	void publishedCodeIsWithinItsBudget() throws IOException {
		Map<String, Integer> counted = count();
		Map<String, Integer> table = read();
		Map<String, String> grown = new TreeMap<>();
		counted.forEach((name, lines) -> {
			int allowed = table.getOrDefault(name, 0);
			if (lines > allowed && !name.contains(" / ")) {
				grown.put(name, allowed + " -> " + lines);
			}
		});

		assertThat(grown)
			.as("verification/budget.txt: make it smaller, or raise the number in the table together with a page in "
					+ "docs/decisions that says what users get for it")
			.isEmpty();
		if (Boolean.getBoolean("docs.write")) {
			Files.writeString(TABLE, write(counted));
		}
	}

	private static Map<String, Integer> count() throws IOException {
		Map<String, Integer> lines = new TreeMap<>();
		try (Stream<Path> folders = Files.list(Pages.PROJECT)) {
			for (Path jar : folders.filter((each) -> each.getFileName().toString().startsWith("lock-")).toList()) {
				Path sources = jar.resolve("src/main");
				for (Path file : Files.isDirectory(sources) ? sourcesBelow(sources) : List.<Path>of()) {
					Path folder = sources.relativize(file.getParent());
					String name = folder.subpath(1, folder.getNameCount()).toString().replace('/', '.');
					int code = codeLines(file);
					lines.merge(ALL, code, Integer::sum);
					lines.merge(jar.getFileName().toString(), code, Integer::sum);
					lines.merge(jar.getFileName() + " / " + name, code, Integer::sum);
				}
			}
		}
		return lines;
	}

	private static List<Path> sourcesBelow(Path folder) throws IOException {
		try (Stream<Path> files = Files.walk(folder)) {
			return files.filter((file) -> file.toString().matches(".*\\.(java|lua)")).toList();
		}
	}

	private static int codeLines(Path file) {
		boolean isLua = file.toString().endsWith(".lua");
		int lines = 0;
		boolean inComment = false;
		try {
			for (String line : Files.readAllLines(file)) {
				String text = line.strip();
				inComment = inComment || (!isLua && text.startsWith("/*"));
				boolean isCode = !inComment && !text.isEmpty()
						&& !(isLua ? text.startsWith("--") : text.matches("(//|import |package ).*"));
				lines += isCode ? 1 : 0;
				inComment = inComment && !text.contains("*/");
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(file.toString(), ex);
		}
		return lines;
	}

	private static Map<String, Integer> read() throws IOException {
		return Files.readAllLines(TABLE)
			.stream()
			.filter((line) -> !line.startsWith("#"))
			.map((line) -> line.split("  +"))
			.collect(Collectors.toMap((row) -> row[0], (row) -> Integer.valueOf(row[1]), Integer::sum, TreeMap::new));
	}

	private static String write(Map<String, Integer> lines) {
		return lines.entrySet()
			.stream()
			.map((row) -> "%-60s  %6d%n".formatted(row.getKey(), row.getValue()))
			.collect(Collectors.joining("", HEAD, ""));
	}

}
