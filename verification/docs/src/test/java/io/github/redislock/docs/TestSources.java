package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The sources of all tests, by the name of the class without its package.
 */
final class TestSources {

	private static final List<String> MODULES = List.of("lock-adapters", "lock-core", "lock-quorum",
			"lock-spring-boot-autoconfigure", "lock-test", "samples/quickstart", "samples/coroutines",
			"samples/cluster-demo", "verification/campaign", "verification/docs", "verification/simulation");

	private static final Pattern ANNOTATION = Pattern.compile("@(?:Test|ParameterizedTest|RepeatedTest|ArchTest)\\b");

	private final Map<String, String> sources = new TreeMap<>();

	static TestSources read() throws IOException {
		TestSources tests = new TestSources();
		for (String module : MODULES) {
			try (Stream<Path> files = Files.walk(Pages.PROJECT.resolve(module).resolve("src/test"))) {
				for (Path file : files.filter(TestSources::isSource).toList()) {
					String name = file.getFileName().toString().replaceFirst("\\.\\w+$", "");
					tests.sources.merge(name, Files.readString(file), (one, other) -> one + "\n\n" + other);
				}
			}
		}
		return tests;
	}

	private static boolean isSource(Path file) {
		return file.toString().endsWith(".java") || file.toString().endsWith(".kt");
	}

	Map<String, String> byName() {
		return this.sources;
	}

	boolean exists(String type, @Nullable String method) {
		String source = this.sources.get(type);
		if (source == null || method == null) {
			return source != null;
		}
		Matcher declared = Pattern.compile("\\b(?:void|fun|ArchRule) " + method + "\\b").matcher(source);
		// Require an annotation, so that a helper of that name does not count as a test.
		return declared.find()
				&& ANNOTATION.matcher(source.substring(source.lastIndexOf("\n\n", declared.start()), declared.start()))
					.find();
	}

}
