package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tests that pages of the documentation name, such as
 * {@code `FaceContract#fencingTokensGrow`}, are there.
 */
class TestsInDocsTests {

	private static final Pattern NAMED = Pattern.compile("`(\\w+(?:Tests|Contract|Promises))(?:#(\\w+))?`");

	private static TestSources tests;

	@BeforeAll
	static void readTests() throws IOException {
		tests = TestSources.read();
	}

	@ParameterizedTest
	@MethodSource("pages")
	void testsThatThePageNamesAreThere(Path page) throws IOException {
		List<String> missing = named(page).filter((test) -> !tests.exists(test.group(1), test.group(2)))
			.map(MatchResult::group)
			.toList();

		assertThat(missing).isEmpty();
	}

	@Test
	void whatIsNotThereIsFound() {
		assertThat(tests.exists("TestsInDocsTests", "whatIsNotThereIsFound")).isTrue();
		assertThat(tests.exists("TestsInDocsTests", "exists")).isFalse();
		assertThat(tests.exists("TestsInDocsTests", "whatIsNotThere")).isFalse();
		assertThat(tests.exists("NoTests", null)).isFalse();
	}

	static Stream<Path> pages() throws IOException {
		try (Stream<Path> files = Files.walk(Pages.PROJECT.resolve("docs"))) {
			return files.filter((file) -> file.toString().endsWith(".md"))
				.filter((file) -> hasNames(file))
				.sorted()
				.toList()
				.stream();
		}
	}

	private static boolean hasNames(Path page) {
		try {
			return named(page).findAny().isPresent();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Stream<MatchResult> named(Path page) throws IOException {
		return NAMED.matcher(Files.readString(page)).results();
	}

}
