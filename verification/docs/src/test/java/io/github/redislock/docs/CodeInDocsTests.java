package io.github.redislock.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.redislock.testing.CodeBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks what the documentation shows besides Java and YAML. Named modules, files and
 * tests exist, dependencies have our coordinates, and Kotlin code matches the sample.
 */
class CodeInDocsTests {

	/**
	 * The languages that a test checks, and those that no test of ours can check, because
	 * they show output or the code of other programs and libraries. A block without a
	 * language shows commands or their output.
	 */
	private static final Set<String> LANGUAGES = Set.of("", "java", "yaml", "xml", "groovy", "sh", "kotlin", "mermaid",
			"text", "java before", "python", "sql", "json", "promql", "redis", "console");

	private static final Pattern MODULES = Pattern.compile("-pl ['\"]?([^ '\"]+)");

	private static final Pattern TESTS = Pattern.compile("-Dtest=['\"]?([\\w,*]+)");

	private static final Pattern FILES = Pattern
		.compile("(?:^|[ (])((?:samples|docs|benchmarks|verification|\\.ci)/[\\w./-]+)");

	private static final Pattern DEPENDENCY = Pattern.compile("<groupId>io\\.github\\.redislock</groupId>\\s*"
			+ "<artifactId>([\\w-]+)</artifactId>(?:\\s*<version>([^<]+)</version>)?");

	private static final Pattern GRADLE_DEPENDENCY = Pattern.compile("'io\\.github\\.redislock:([\\w-]+):([^']+)'");

	private static final Pattern PARENT = Pattern
		.compile("<artifactId>spring-boot-starter-parent</artifactId>\\s*<version>([^<]+)</version>");

	/**
	 * Matches code that concatenates a name and a key. If the key contained a colon, this
	 * would name another lock than the annotation does.
	 */
	private static final Pattern MADE_BY_HAND = Pattern
		.compile("(?:cquire|xecute|isLocked|inspect|forceRelease|requireHeld|LockView|LockTarget\\.of)"
				+ "\\((?:\\w+, )?\"[^\"]*\" \\+");

	private static final List<String> PUBLISHED = List.of("lock-adapters", "lock-core", "lock-quorum",
			"lock-spring-boot-autoconfigure", "lock-spring-boot-starter", "lock-test");

	@Test
	void everyBlockHasAKnownLanguage() throws IOException {
		assertThat(Pages.blocks()).filteredOn((block) -> !LANGUAGES.contains(block.language())).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("commands")
	void commandsReferToExistingModulesFilesAndTests(CodeBlock block) throws IOException {
		assertThat(named(MODULES, block).map((module) -> module.replaceFirst("^!", "")))
			.allMatch((module) -> Files.exists(Pages.PROJECT.resolve(module).resolve("pom.xml")));
		assertThat(named(FILES, block)).allMatch((file) -> Files.exists(Pages.PROJECT.resolve(file)));
		assertThat(named(TESTS, block).filter((test) -> !test.contains("*"))).allMatch(CodeInDocsTests::isTest);
	}

	@Test
	void dependenciesMatchTheProjectCoordinates() throws IOException {
		String pom = Files.readString(Pages.PROJECT.resolve("pom.xml"));
		String version = first(Pattern.compile("<artifactId>lock-parent</artifactId>\\s*<version>([^<]+)"), pom);
		String springBoot = first(Pattern.compile("<spring-boot\\.version>([^<]+)"), pom);
		List<CodeBlock> blocks = Pages.blocks("xml");

		assertThat(blocks).isNotEmpty();
		for (CodeBlock block : blocks) {
			assertThat(DEPENDENCY.matcher(block.text()).results()).as(block.toString())
				.allMatch((dependency) -> PUBLISHED.contains(dependency.group(1)))
				.allMatch((dependency) -> dependency.group(2) == null || dependency.group(2).equals(version));
			assertThat(PARENT.matcher(block.text()).results()).as(block.toString())
				.allMatch((parent) -> parent.group(1).equals(springBoot));
		}
		assertThat(Pages.blocks("groovy")).isNotEmpty()
			.flatMap((block) -> GRADLE_DEPENDENCY.matcher(block.text()).results().toList())
			.allMatch((dependency) -> PUBLISHED.contains(dependency.group(1)))
			.allMatch((dependency) -> dependency.group(2).equals(version));
	}

	@Test
	void noExampleConcatenatesNameAndKey() throws IOException {
		Stream<String> inJavadoc = PUBLISHED.stream()
			.flatMap((module) -> javaOf(Pages.PROJECT.resolve(module).resolve("src/main")).lines())
			.filter((line) -> line.strip().startsWith("*"));

		assertThat(Pages.blocks("java")).noneMatch((block) -> MADE_BY_HAND.matcher(block.text()).find());
		assertThat(inJavadoc).noneMatch((line) -> MADE_BY_HAND.matcher(line).find());
	}

	@Test
	void kotlinCodeMatchesTheSample() throws IOException {
		String sample = normalize(read(Pages.PROJECT.resolve("samples/coroutines/src/main"), ".kt"));

		assertThat(Pages.blocks("kotlin")).isNotEmpty()
			.allSatisfy((block) -> assertThat(block.text().split("\n\n"))
				.allMatch((part) -> sample.contains(normalize(part))));
	}

	static Stream<CodeBlock> commands() throws IOException {
		return Pages.blocks("sh", "", "console").stream();
	}

	private static Stream<String> named(Pattern pattern, CodeBlock block) {
		return pattern.matcher(block.text()).results().flatMap((match) -> Stream.of(match.group(1).split(",")));
	}

	private static boolean isTest(String name) {
		return Stream.concat(PUBLISHED.stream(), Stream.of("samples", "verification/docs")).anyMatch((module) -> {
			try (Stream<Path> files = Files.walk(Pages.PROJECT.resolve(module))) {
				return files.anyMatch((file) -> file.getFileName().toString().matches(name + "\\.(?:java|kt)"));
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		});
	}

	private static String first(Pattern pattern, String text) {
		return pattern.matcher(text).results().map((match) -> match.group(1)).findFirst().orElseThrow();
	}

	private static String javaOf(Path folder) {
		try {
			return Files.exists(folder) ? read(folder, ".java") : "";
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String read(Path folder, String ending) throws IOException {
		StringBuilder text = new StringBuilder();
		try (Stream<Path> files = Files.walk(folder)) {
			for (Path file : files.filter((each) -> each.toString().endsWith(ending)).toList()) {
				text.append(Files.readString(file));
			}
		}
		return text.toString();
	}

	private static String normalize(String code) {
		return code.replaceAll("\\s+", " ").strip();
	}

}
