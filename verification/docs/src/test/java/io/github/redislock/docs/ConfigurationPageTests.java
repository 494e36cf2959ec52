package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.redislock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code docs/configuration.md} lists all properties and attributes.
 */
class ConfigurationPageTests {

	private static final Path PAGE = Pages.DOCS.resolve("configuration.md");

	@Test
	void pageIsUpToDate() throws IOException {
		GeneratedPage.requireCurrent(PAGE, ConfigurationPage.read().update(Files.readString(PAGE)), getClass());
	}

	@Test
	void everyPropertyAndAttributeIsListed() throws IOException {
		String page = Files.readString(PAGE);

		assertThat(page.lines().filter((line) -> line.startsWith("| `redis-lock."))).hasSizeGreaterThan(20)
			.allMatch((line) -> line.split(" \\| ", -1)[3].length() > 10);
		assertThat(DistributedLock.class.getDeclaredMethods())
			.allMatch((attribute) -> page.contains("\n| `" + attribute.getName() + "` | "));
	}

}
