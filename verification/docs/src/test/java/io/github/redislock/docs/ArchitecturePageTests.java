package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables of packages and threads in {@code docs/architecture.md} are complete.
 */
class ArchitecturePageTests {

	private static final List<String> MODULES = List.of("lock-adapters", "lock-core", "lock-quorum",
			"lock-spring-boot-autoconfigure", "lock-test");

	private static final Path ROOT = Path.of("src", "main", "java", "io", "github", "redislock");

	private static final Pattern NAME = Pattern.compile("`([\\w.]+)`");

	/**
	 * The name of a thread in quotes. A name after {@code of(} does not match, because it
	 * is the name of a lock.
	 */
	private static final Pattern THREAD = Pattern.compile("(?<!of\\()[\"`](redis-lock-[a-z]+)");

	@Test
	void everyPackageHasARow() throws IOException {
		assertThat(rows()).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(packages());
	}

	@Test
	void everyThreadHasARow() throws IOException {
		String table = page("| thread |", "## The wire");
		Set<String> names = new HashSet<>();
		for (String module : MODULES) {
			try (Stream<Path> files = Files.walk(Pages.PROJECT.resolve(module).resolve(ROOT))) {
				for (Path file : files.filter((path) -> path.toString().endsWith(".java")).toList()) {
					names.addAll(threads(Files.readString(file)));
				}
			}
		}

		assertThat(threads(table)).containsExactlyInAnyOrderElementsOf(names);
	}

	private static Set<String> threads(String text) {
		return THREAD.matcher(text).results().map((thread) -> thread.group(1)).collect(Collectors.toSet());
	}

	private static String page(String begin, String end) throws IOException {
		String page = Files.readString(Pages.DOCS.resolve("architecture.md"));
		return page.substring(page.indexOf(begin), page.indexOf(end));
	}

	private static List<String> rows() throws IOException {
		String table = page("| package |", "## Threads");
		List<String> names = new ArrayList<>();
		for (String row : table.lines().skip(2).filter((line) -> line.startsWith("| ")).toList()) {
			Matcher name = NAME.matcher(row.split("\\|")[1].replaceAll("\\(`[\\w-]+`\\)", ""));
			while (name.find()) {
				names.add(name.group(1));
			}
		}
		return names;
	}

	private static List<String> packages() throws IOException {
		List<String> names = new ArrayList<>();
		for (String module : MODULES) {
			Path root = Pages.PROJECT.resolve(module).resolve(ROOT);
			try (Stream<Path> files = Files.walk(root)) {
				files.filter((file) -> file.endsWith("package-info.java"))
					.map((file) -> root.relativize(file.getParent()).toString().replace('/', '.'))
					.filter((name) -> !name.isEmpty())
					.forEach(names::add);
			}
		}
		return names;
	}

}
