package io.github.redislock.migrating;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import io.github.redislock.testing.DocumentedCode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The migration pages show compiled code: a class of this package contains each block
 * line by line. Blocks that begin with {@code java before} show code for other libraries.
 */
class MigrationPagesTests {

	private static final Path PAGES = Path.of("..", "docs", "migrating");

	private static final Path SOURCES = Path.of("src", "test", "java", "io", "github", "redislock", "migrating");

	@ParameterizedTest
	@MethodSource("pages")
	void pageExamplesMatchCompiledCode(Path page) throws IOException {
		DocumentedCode code = DocumentedCode.in(page);

		assertThat(code.size()).isPositive();
		assertThat(code.notFoundIn(SOURCES)).isEmpty();
	}

	static Stream<Path> pages() throws IOException {
		try (Stream<Path> files = Files.list(PAGES)) {
			return files.filter((file) -> file.getFileName().toString().startsWith("from-")).sorted().toList().stream();
		}
	}

}
