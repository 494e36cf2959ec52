package io.github.redislock.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisConnection;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The form of the script files, on which readers and a Redis Cluster rely.
 */
@ExtendWith(RedisServerExtension.class)
class LockScriptTests {

	private static final Pattern INCLUDE = Pattern.compile("(?m)^-- include: (.+)$");

	private static final Pattern CALL = Pattern.compile("redis\\.p?call\\('([A-Z]+)'((?:, [\\w.]+)*)");

	private static final Pattern FIRST_SENTENCE = Pattern.compile("-- [A-Z][^\\n]+(\\n-- [^\\n]+)*?[.](\\n|$)");

	@Test
	void scriptFilesMatchTheDeclaredScripts() {
		assertThat(luaFiles("")).containsExactlyInAnyOrderElementsOf(
				Arrays.stream(LockScript.values()).map(LockScriptTests::fileName).toList());
	}

	@Test
	void includesMatchTheLibraryFiles() {
		List<String> included = Arrays.stream(LockScript.values())
			.flatMap((script) -> includes(script).stream())
			.distinct()
			.toList();

		assertThat(libraries()).containsExactlyInAnyOrderElementsOf(included);
	}

	@ParameterizedTest
	@EnumSource(LockScript.class)
	void scriptIncludesALibraryOnceAndInFull(LockScript script) {
		String whole = whole(script);

		assertThat(includes(script)).doesNotHaveDuplicates()
			.allSatisfy((library) -> assertThat(whole).containsOnlyOnce(library(library)));
		assertThat(INCLUDE.matcher(whole).find()).as("left over").isFalse();
	}

	@ParameterizedTest
	@EnumSource(LockScript.class)
	void headerListsPurposeKeysArgumentsAndReturnValues(LockScript script) {
		String text = text(script);
		String head = head(text);

		assertThat(head.lines()).allSatisfy((line) -> assertThat(line).startsWith("--"));
		assertThat(head).containsPattern("\\A" + FIRST_SENTENCE);
		assertThat(head.lines().findFirst().orElseThrow()).matches("-- [A-Z][a-z]+s .+");
		assertThat(head).contains("-- KEYS: lock, fence").contains("-- returns: ");
		assertThat(head.contains("-- ARGV: ")).isEqualTo(ofOneLock(script).contains("ARGV["));
		assertThat(head.substring(head.indexOf("returns:")).contains("{")).isEqualTo(script.returnsList());
	}

	@ParameterizedTest
	@EnumSource(LockScript.class)
	void headerListsAsManyKeysAndArgumentsAsAreRead(LockScript script) {
		String text = ofOneLock(script);

		assertThat(read(text, "KEYS")).containsExactlyInAnyOrderElementsOf(upTo(names(text, "KEYS").size()));
		assertThat(argumentsRead(script, text)).isEqualTo(upTo(arguments(script).size()));
	}

	@ParameterizedTest
	@EnumSource(LockScript.class)
	void keyNamesInTheScriptMatchItsHeader(LockScript script) {
		String text = ofOneLock(script);
		List<String> keys = names(text, "KEYS");

		assertThat(keys).isSubsetOf("lock", "fence", "queue", "waiters", "places", "grants", "withdrawn", "since");
		assertThat(called(text)).containsExactlyElementsOf(keys);
	}

	@ParameterizedTest
	@EnumSource(LockScript.class)
	void onlyDeclaredKeysAreAccessed(LockScript script) {
		List<String> keys = names(text(script), "KEYS").stream().map((key) -> operand(script, key)).toList();
		List<MatchResult> calls = CALL.matcher(whole(script)).results().toList();

		assertThat(calls).hasSize((int) Pattern.compile("redis\\.").matcher(whole(script)).results().count());
		assertThat(calls).allSatisfy((call) -> {
			List<String> operands = Stream.of(call.group(2).split(", ")).filter((part) -> !part.isEmpty()).toList();
			switch (call.group(1)) {
				case "TIME", "PUBSUB" -> assertThat(operands).isEmpty();
				case "MGET", "EXISTS", "DEL" -> assertThat(operands).isSubsetOf(keys);
				case "PUBLISH" -> assertThat(operands.get(0)).isEqualTo("channel");
				default -> assertThat(operands.get(0)).isIn(keys);
			}
		});
	}

	@ParameterizedTest
	@MethodSource("libraries")
	void headerOfALibraryDescribesItsPurpose(String library) {
		String head = head(library(library));

		assertThat(head.lines()).allSatisfy((line) -> assertThat(line).startsWith("--"));
		assertThat(head).containsPattern("\\A" + FIRST_SENTENCE);
	}

	@ParameterizedTest
	@MethodSource("libraries")
	void libraryContainsOnlyLocalDefinitionsAndNoIncludes(String library) {
		String text = library(library);

		assertThat(text.lines().filter((line) -> !line.isEmpty()))
			.allSatisfy((line) -> assertThat(line).matches("(--|local |  |end$).*"));
		assertThat(INCLUDE.matcher(text).find()).isFalse();
		assertThat(text).endsWith("\n");
		// Only this one knows the arguments that several scripts have in common.
		assertThat(text.contains("ARGV")).isEqualTo(library.equals("asker"));
		// Only this one knows how the keys of several locks are laid out.
		assertThat(text.contains("KEYS")).isEqualTo(library.equals("locks"));
	}

	@ParameterizedTest
	@EnumSource(LockScript.class)
	void digestMatchesTheOneComputedByRedis(LockScript script) {
		try (RedisConnection connection = TestRedis.shared().connectionFactory().getConnection()) {
			assertThat(connection.scriptingCommands().scriptLoad(script.bytes())).isEqualTo(script.sha1());
		}
	}

	static List<String> libraries() {
		return luaFiles("lib").stream().map((file) -> file.replace(".lua", "")).toList();
	}

	private static List<String> includes(LockScript script) {
		return INCLUDE.matcher(text(script))
			.results()
			.flatMap((include) -> Stream.of(include.group(1).split(", ")))
			.toList();
	}

	/**
	 * Return the names that the head lists after a word, over several lines if need be,
	 * without text in brackets.
	 */
	private static List<String> names(String text, String kind) {
		Matcher matcher = Pattern.compile("(?m)^-- " + kind + ": (.*(\\n--  .*)*)$").matcher(head(text));
		if (!matcher.find()) {
			return List.of();
		}
		String names = matcher.group(1).replaceAll("\\n-- +", " ").replaceAll(" \\([^)]*\\)", "");
		return List.of(names.split(", "));
	}

	/**
	 * Return the names of all arguments, including those of the requester.
	 */
	private static List<String> arguments(LockScript script) {
		return names(text(script), "ARGV").stream()
			.flatMap((name) -> name.equals("the asker's") ? names(library("asker"), "ARGV").stream() : Stream.of(name))
			.toList();
	}

	private static List<Integer> read(String text, String kind) {
		return Pattern.compile(kind + "\\[(\\d+)\\]")
			.matcher(text)
			.results()
			.map((index) -> Integer.valueOf(index.group(1)))
			.toList();
	}

	/**
	 * Return the positions of the arguments in the order in which they are read. Those
	 * for a release that must work when memory is full come last, but are read first.
	 */
	private static List<Integer> argumentsRead(LockScript script, String text) {
		List<Integer> read = read(text, "ARGV");
		return (script == LockScript.QUICK) ? read.stream().sorted().toList() : read;
	}

	private static List<Integer> upTo(int count) {
		return IntStream.rangeClosed(1, count).boxed().toList();
	}

	private static String head(String text) {
		return text.substring(0, text.indexOf("\n\n"));
	}

	private static String whole(LockScript script) {
		return new String(script.bytes(), StandardCharsets.UTF_8);
	}

	private static String text(LockScript script) {
		return read(folder().resolve(fileName(script)));
	}

	/**
	 * Return the text as it would be for one lock, where a script loops over several.
	 */
	private static String ofOneLock(LockScript script) {
		String text = text(script);
		if (includes(script).contains("locks")) {
			text += library("locks");
		}
		if (includes(script).contains("asker")) {
			int before = read(text, "ARGV").size();
			text += Pattern.compile("\\[first(?: \\+ (\\d))?]")
				.matcher(library("asker"))
				.replaceAll((place) -> "[%d]"
					.formatted(before + 1 + ((place.group(1) != null) ? Integer.parseInt(place.group(1)) : 0)));
		}
		return text.replace("[index]", "[1]")
			.replace("[index + 1]", "[2]")
			.replace("[index + 2]", "[3]")
			.replace("[index + 3]", "[4]")
			.replace("[argument]", "[1]")
			.replace("[argument + 1]", "[2]")
			.replace("[2 * index - 1]", "[1]")
			.replace("[2 * index]", "[2]")
			.replace("[place]", "[3]")
			.replace("[#ARGV]", "[4]")
			.replace("[4 * index - 3]", "[1]")
			.replace("[4 * index - 2]", "[2]")
			.replace("[4 * index - 1]", "[3]")
			.replace("[4 * index]", "[4]")
			.replace("[4 * count + 1]", "[5]")
			.replace("[4 * count + 2]", "[6]");
	}

	/**
	 * Return the names that a script gives to its keys, in order.
	 */
	private static Collection<String> called(String text) {
		String single = text.replaceAll("(\\w+), (?:l\\.)?(\\w+) = (KEYS\\[\\d]), (KEYS\\[\\d])", "$1 = $3, $2 = $4");
		Map<Integer, String> called = new TreeMap<>();
		Pattern.compile("(\\w+) = KEYS\\[(\\d)]")
			.matcher(single)
			.results()
			.forEach((key) -> called.put(Integer.valueOf(key.group(2)), key.group(1)));
		return called.values();
	}

	/**
	 * Return how a command refers to a key: the keys of a lock are in a table where a
	 * script shares code that reads it.
	 */
	private static String operand(LockScript script, String key) {
		boolean single = key.equals("withdrawn") || key.equals("since") || script == LockScript.QUICK;
		return single ? key : "l." + key;
	}

	private static String library(String name) {
		return read(folder().resolve("lib").resolve(name + ".lua"));
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<String> luaFiles(String subfolder) {
		try (Stream<Path> files = Files.list(folder().resolve(subfolder))) {
			return files.map((file) -> file.getFileName().toString()).filter((file) -> file.endsWith(".lua")).toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String fileName(LockScript script) {
		return script.name().toLowerCase(Locale.ROOT).replace('_', '-') + ".lua";
	}

	private static Path folder() {
		try {
			return Path.of(Objects.requireNonNull(LockScript.class.getResource("acquire.lua")).toURI()).getParent();
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
