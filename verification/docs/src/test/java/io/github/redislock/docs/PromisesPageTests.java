package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code docs/promises.md} lists the tests of each promise, and each promise has one.
 */
class PromisesPageTests {

	private static final Path PAGE = Pages.DOCS.resolve("promises.md");

	@Test
	void pageIsUpToDate() throws IOException {
		PromisesPage promises = new PromisesPage(TestSources.read());

		GeneratedPage.requireCurrent(PAGE, promises.update(Files.readString(PAGE)), getClass());
	}

	@Test
	void everyPromiseHasATestAndEveryTagAPromise() throws IOException {
		assertThat(new PromisesPage(TestSources.read()).tags())
			.as("The tags @Tag(\"promise-…\") of tests, and the promises of docs/guarantees.md")
			.containsExactlyInAnyOrderElementsOf(PromisesPage.promises().keySet());
	}

}
