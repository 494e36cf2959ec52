package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of packages in {@code docs/architecture.md} has all there are.
 */
class ArchitecturePageTests {

	private static final List<String> MODULES = List.of("lock-adapters", "lock-core", "lock-spring-boot-autoconfigure",
			"lock-test");

	private static final Path ROOT = Path.of("src", "main", "java", "io", "github", "redislock");

	private static final Pattern NAME = Pattern.compile("`([\\w.]+)`");

	@Test
	void everyPackageHasItsRow() throws IOException {
		assertThat(rows()).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(packages());
	}

	private static List<String> rows() throws IOException {
		String page = Files.readString(Pages.DOCS.resolve("architecture.md"));
		String table = page.substring(page.indexOf("| package |"), page.indexOf("## Threads"));
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
