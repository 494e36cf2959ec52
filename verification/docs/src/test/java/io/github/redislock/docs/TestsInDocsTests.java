package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tests that pages name, such as {@code `FaceContract#fencingTokensGrow`}, exist.
 */
class TestsInDocsTests {

	/**
	 * The names of tests in prose and in commands, in which {@code SomeTests} is a
	 * placeholder.
	 */
	private static final Pattern NAMED = Pattern
		.compile("(?<![-.\\w])(?!Some)([A-Z]\\w+(?:Tests|Contract|Promises))\\b(?:#(\\w+))?");

	private static TestSources tests;

	@BeforeAll
	static void readTests() throws IOException {
		tests = TestSources.read();
	}

	@ParameterizedTest
	@MethodSource("pages")
	void namedTestsExist(Path page) throws IOException {
		assertThat(named(Files.readString(page))).filteredOn((test) -> !tests.exists(test.group(1), test.group(2)))
			.extracting(MatchResult::group)
			.isEmpty();
	}

	@ParameterizedTest
	@MethodSource("pagesOfUsers")
	void pagesForUsersNameNoTests(Path page) throws IOException {
		assertThat(named(Pages.prose(page))).extracting(MatchResult::group)
			.as("%s is for users, who do not know our tests: tag these with the promise", page)
			.isEmpty();
	}

	@Test
	void missingTestIsFound() {
		assertThat(tests.exists("TestsInDocsTests", "missingTestIsFound")).isTrue();
		assertThat(tests.exists("TestsInDocsTests", "named")).isFalse();
		assertThat(tests.exists("TestsInDocsTests", "noSuchTest")).isFalse();
		assertThat(tests.exists("NoTests", null)).isFalse();
	}

	static List<Path> pages() throws IOException {
		return Pages.all();
	}

	static List<Path> pagesOfUsers() throws IOException {
		return Pages.ofUsersOnly();
	}

	private static List<MatchResult> named(String text) {
		return NAMED.matcher(text).results().toList();
	}

}
