package io.github.redislock.examples.testing;

import java.io.IOException;
import java.nio.file.Path;

import io.github.redislock.testing.DocumentedCode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code in {@code docs/testing.md} is tested here.
 */
class DocumentedCodeOfTestingTests {

	@Test
	void pageExamplesMatchCompiledCode() throws IOException {
		DocumentedCode code = DocumentedCode.in(Path.of("../docs/testing.md"));

		assertThat(code.size()).isGreaterThan(4);
		assertThat(code.notFoundIn(Path.of("src/test/java/io/github/redislock/examples/testing"))).isEmpty();
	}

}
