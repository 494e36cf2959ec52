package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code docs/api.md} lists the methods of {@link ApiPage#TYPES}, except for accessors.
 */
class ApiPageTests {

	private static final Path PAGE = Pages.DOCS.resolve("api.md");

	@Test
	void pageIsUpToDate() throws IOException {
		GeneratedPage.requireCurrent(PAGE, new ApiPage().update(Files.readString(PAGE)), getClass());
	}

	@Test
	void everyMethodIsListed() throws IOException {
		String page = Files.readString(PAGE);
		ApiPage api = new ApiPage();

		for (Class<?> type : ApiPage.TYPES) {
			assertThat(api.methods(type)).hasSizeGreaterThan(5)
				.allMatch((method) -> page.contains(method.getName() + "("));
		}
	}

}
