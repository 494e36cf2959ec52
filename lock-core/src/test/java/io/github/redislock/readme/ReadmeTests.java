package io.github.redislock.readme;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.redislock.testing.DocumentedCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What README.md shows of locks that are shared is compiled: each block of it stands in a
 * class of this package, line by line.
 */
class ReadmeTests {

	private static final Path PAGE = Path.of("..", "README.md");

	private static final Path SOURCES = Path.of("src", "test", "java", "io", "github", "redislock", "readme");

	@TempDir
	private Path directory;

	@Test
	void codeOfSharedLocksIsCompiled() throws IOException {
		String page = Files.readString(PAGE);
		int begin = page.indexOf("## Readers and writers");
		Path section = this.directory.resolve("section.md");
		Files.writeString(section, page.substring(begin, page.indexOf("\n## ", begin)));

		DocumentedCode code = DocumentedCode.in(section);

		assertThat(code.size()).isEqualTo(2);
		assertThat(code.notFoundIn(SOURCES)).isEmpty();
	}

}
