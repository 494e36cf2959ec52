package io.github.redislock.migrating;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the migration pages show of our code is compiled: each block of it stands in a
 * class of this package, line by line. Blocks that begin with {@code java before} are
 * other libraries' code.
 */
class MigrationPagesTests {

	private static final Path PAGES = Path.of("..", "docs", "migrating");

	private static final Path SOURCES = Path.of("src", "test", "java", "io", "github", "redislock", "migrating");

	private static final Pattern BLOCK = Pattern.compile("^```java\\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL);

	@ParameterizedTest
	@MethodSource("pages")
	void codeOfThePageIsCompiled(Path page) throws IOException {
		List<String> sources = sources();

		assertThat(blocks(page)).isNotEmpty()
			.allSatisfy((block) -> assertThat(sources).anyMatch((source) -> source.contains(block)));
	}

	static Stream<Path> pages() throws IOException {
		try (Stream<Path> files = Files.list(PAGES)) {
			return files.filter((file) -> file.getFileName().toString().startsWith("from-")).sorted().toList().stream();
		}
	}

	private static List<String> blocks(Path page) throws IOException {
		List<String> blocks = new ArrayList<>();
		for (Matcher matcher = BLOCK.matcher(Files.readString(page)); matcher.find();) {
			blocks.add(withoutLayout(matcher.group(1)));
		}
		return blocks;
	}

	private static List<String> sources() throws IOException {
		try (Stream<Path> files = Files.list(SOURCES)) {
			List<String> sources = new ArrayList<>();
			for (Path file : files.toList()) {
				sources.add(withoutLayout(Files.readString(file)));
			}
			return sources;
		}
	}

	/**
	 * Return the lines without indentation, blank ones and {@code this}.
	 */
	private static String withoutLayout(String code) {
		return String.join("\n",
				code.lines()
					.map(String::strip)
					.map((line) -> line.replace("this.", ""))
					.filter((line) -> !line.isEmpty())
					.toList());
	}

}
