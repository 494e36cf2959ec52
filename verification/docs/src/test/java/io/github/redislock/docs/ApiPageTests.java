package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code docs/api.md} says what methods there are.
 */
class ApiPageTests {

	private static final Path PAGE = Pages.DOCS.resolve("api.md");

	private static final String COMMAND = "./mvnw -q -pl verification/docs -am test"
			+ " -Dtest=ApiPageTests -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.write=true";

	@Test
	void pageIsWhatIsGenerated() throws IOException {
		String page = Files.readString(PAGE);

		String generated = ApiPage.update(page);

		if (Boolean.getBoolean("docs.write")) {
			Files.writeString(PAGE, generated);
			return;
		}
		assertThat(page).as("docs/api.md is not what is generated; write it anew with%n  %s", COMMAND)
			.isEqualTo(generated);
	}

	@Test
	void everyMethodHasALine() throws IOException {
		String page = Files.readString(PAGE);

		for (Class<?> type : ApiPage.TYPES) {
			assertThat(ApiPage.methods(type)).hasSizeGreaterThan(5)
				.allMatch((method) -> page.contains(method.getName() + "("));
		}
	}

}
