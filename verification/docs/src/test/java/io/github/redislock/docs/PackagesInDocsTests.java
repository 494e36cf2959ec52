package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Pages for beginners show the packages of our types: by an import, or by a link to the
 * table of the quick start.
 */
class PackagesInDocsTests {

	private static final List<String> MODULES = List.of("lock-adapters", "lock-core", "lock-quorum",
			"lock-spring-boot-autoconfigure", "lock-test");

	private static final Pattern CODE = Pattern.compile("(?s)```java\\n.*?```|`[^`\\n]+`");

	private static final Pattern WORD = Pattern.compile("\\b[A-Z]\\w+");

	private static final Pattern LINK = Pattern.compile("\\]\\(([\\w/.-]*quick-start\\.md)?#(?:packages|包名)\\)");

	private static final Map<String, String> PACKAGES = packages();

	@ParameterizedTest
	@MethodSource("pages")
	void packageOfEachTypeIsInAnImportOrTheTable(Path page) throws IOException {
		String text = Files.readString(page);
		Path table = LINK.matcher(text)
			.results()
			.map((link) -> (link.group(1) != null) ? page.resolveSibling(link.group(1)) : page)
			.findFirst()
			.orElse(page);
		String tableText = Files.readString(table);

		List<String> types = CODE.matcher(text)
			.results()
			.flatMap((code) -> WORD.matcher(code.group()).results())
			.map(MatchResult::group)
			.filter(PACKAGES::containsKey)
			.distinct()
			.toList();

		assertThat(types).isNotEmpty().allMatch((type) -> isImported(type, text) || isInTable(type, tableText));
	}

	static Stream<Path> pages() throws IOException {
		List<Path> pages = List.of(Pages.README, Pages.PROJECT.resolve("README.zh-CN.md"),
				Pages.DOCS.resolve("quick-start.md"));
		List<Path> folders = List.of(Pages.DOCS.resolve("guide"), Pages.DOCS.resolve("zh"));
		return Pages.ofUsers().stream().filter((page) -> pages.contains(page) || folders.contains(page.getParent()));
	}

	private static boolean isImported(String type, String text) {
		return text.contains("\nimport %s.%s;\n".formatted(PACKAGES.get(type), type))
				|| text.contains("\nimport static %s.%s.".formatted(PACKAGES.get(type), type));
	}

	private static boolean isInTable(String type, String text) {
		return text.lines()
			.anyMatch((line) -> line.startsWith("| `%s` |".formatted(PACKAGES.get(type)))
					&& line.contains("`%s`".formatted(type)));
	}

	/**
	 * Return the packages of our public types by simple name.
	 */
	private static Map<String, String> packages() {
		Map<String, String> packages = new TreeMap<>();
		for (String module : MODULES) {
			Path sources = Pages.PROJECT.resolve(module).resolve("src/main/java");
			try (Stream<Path> files = Files.walk(sources)) {
				for (Path file : files.filter((each) -> each.toString().endsWith(".java")).toList()) {
					if (Files.readString(file).contains("\npublic ")) {
						packages.put(file.getFileName().toString().replace(".java", ""),
								sources.relativize(file.getParent()).toString().replace('/', '.'));
					}
				}
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		}
		return packages;
	}

}
