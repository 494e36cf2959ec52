package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each promise has a test. A page in {@code target} lists the tests of each promise.
 */
class PromisesPageTests {

	private static final Path PAGE = Path.of("target", "promises.md");

	@Test
	void everyPromiseHasARow() throws IOException {
		String page = new PromisesPage(TestSources.read()).write();

		assertThat(page.lines().filter((line) -> line.endsWith("|  |"))).isEmpty();
		Files.createDirectories(PAGE.getParent());
		Files.writeString(PAGE, page);
	}

	@Test
	void everyPromiseHasATestAndEveryTagAPromise() throws IOException {
		assertThat(new PromisesPage(TestSources.read()).tags())
			.as("The tags @Tag(\"promise-…\") of tests, and the promises of docs/guarantees.md")
			.containsExactlyInAnyOrderElementsOf(PromisesPage.promises().keySet());
	}

}
