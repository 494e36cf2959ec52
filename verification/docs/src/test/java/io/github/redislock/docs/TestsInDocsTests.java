package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
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

	private static final List<String> MODULES = List.of("lock-adapters", "lock-core", "lock-spring-boot-autoconfigure",
			"lock-test", "samples/quickstart", "samples/coroutines", "samples/cluster-demo", "verification/campaign",
			"verification/docs");

	private static final Pattern NAMED = Pattern.compile("`(\\w+(?:Tests|Contract|Promises))(?:#(\\w+))?`");

	private static final Pattern ANNOTATION = Pattern.compile("@(?:Test|ParameterizedTest|RepeatedTest|ArchTest)\\b");

	/** By the name of the class, without its package. */
	private static final Map<String, String> sources = new HashMap<>();

	@BeforeAll
	static void readTests() throws IOException {
		for (String module : MODULES) {
			try (Stream<Path> files = Files.walk(Pages.PROJECT.resolve(module).resolve("src/test"))) {
				for (Path file : files.filter(TestsInDocsTests::isSource).toList()) {
					String name = file.getFileName().toString().replaceFirst("\\.\\w+$", "");
					sources.merge(name, Files.readString(file), (one, other) -> one + "\n\n" + other);
				}
			}
		}
	}

	@ParameterizedTest
	@MethodSource("pages")
	void testsThatThePageNamesAreThere(Path page) throws IOException {
		List<String> missing = named(page).filter((test) -> !exists(test.group(1), test.group(2)))
			.map(MatchResult::group)
			.toList();

		assertThat(missing).isEmpty();
	}

	@Test
	void whatIsNotThereIsFound() {
		assertThat(exists("TestsInDocsTests", "whatIsNotThereIsFound")).isTrue();
		assertThat(exists("TestsInDocsTests", "exists")).isFalse();
		assertThat(exists("TestsInDocsTests", "whatIsNotThere")).isFalse();
		assertThat(exists("NoTests", null)).isFalse();
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

	private static boolean isSource(Path file) {
		return file.toString().endsWith(".java") || file.toString().endsWith(".kt");
	}

	private static boolean exists(String type, @Nullable String method) {
		String source = sources.get(type);
		if (source == null || method == null) {
			return source != null;
		}
		Matcher declared = Pattern.compile("\\b(?:void|fun|ArchRule) " + method + "\\b").matcher(source);
		// With its annotation, so that a helper of that name is no test.
		return declared.find()
				&& ANNOTATION.matcher(source.substring(source.lastIndexOf("\n\n", declared.start()), declared.start()))
					.find();
	}

}
