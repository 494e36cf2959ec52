package io.github.redislock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.internal.client.Script;
import io.github.redislock.internal.client.Script.Reply;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisConnection;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The structure of the script files, on which readers and a Redis Cluster rely.
 */
@ExtendWith(RedisServerExtension.class)
@TestInstance(Lifecycle.PER_CLASS)
abstract class LuaScriptContract {

	static final Pattern INCLUDE = Pattern.compile("(?m)^-- include: (.+)$");

	private static final Pattern CALL = Pattern.compile("redis\\.p?call\\('([A-Z]+)'((?:, [\\w.]+)*)");

	/** Where the arguments of the asker begin. */
	private static final Pattern ASKER = Pattern.compile("read_asker\\((\\d)\\)");

	static final Pattern FIRST_SENTENCE = Pattern.compile("-- [A-Z][^\\n]+(\\n-- [^\\n]+)*?[.](\\n|$)");

	/**
	 * Return the scripts under test.
	 */
	abstract List<Script> scripts();

	/**
	 * Return a class in the package of their files.
	 */
	abstract Class<?> folder();

	@ParameterizedTest
	@MethodSource("scripts")
	void scriptIncludesALibraryOnceAndInFull(Script script) {
		String whole = script.text();

		assertThat(includes(script)).doesNotHaveDuplicates()
			.allSatisfy((library) -> assertThat(whole).containsOnlyOnce(library(library)));
		assertThat(INCLUDE.matcher(whole).find()).as("left over").isFalse();
	}

	@ParameterizedTest
	@MethodSource("scripts")
	void headerListsPurposeKeysArgumentsAndReturnValues(Script script) {
		String text = text(script);
		String head = head(text);

		assertThat(head.lines()).allSatisfy((line) -> assertThat(line).startsWith("--"));
		assertThat(head).containsPattern("\\A" + FIRST_SENTENCE);
		assertThat(head.lines().findFirst().orElseThrow()).matches("-- [A-Z][a-z]+s .+");
		assertThat(head).contains("-- KEYS: lock").contains("-- returns: ");
		assertThat(head.contains("-- ARGV: ")).isEqualTo(ofOneLock(script).contains("ARGV["));
		assertThat(head.substring(head.indexOf("returns:")).contains("{")).isEqualTo(script.reply() != Reply.NUMBER);
	}

	@ParameterizedTest
	@MethodSource("scripts")
	void headerListsAsManyKeysAndArgumentsAsAreRead(Script script) {
		String text = ofOneLock(script);

		assertThat(read(text, "KEYS")).containsExactlyInAnyOrderElementsOf(upTo(names(text, "KEYS").size()));
		assertThat(read(text, "ARGV")).containsExactlyInAnyOrderElementsOf(upTo(arguments(script).size()));
	}

	@ParameterizedTest
	@MethodSource("scripts")
	void keyNamesInTheScriptMatchItsHeader(Script script) {
		String text = ofOneLock(script);
		List<String> keys = names(text, "KEYS");

		assertThat(keys).isSubsetOf("lock", "fence", "queue", "waiters", "places", "grants", "withdrawn", "since");
		assertThat(called(text)).containsExactlyElementsOf(keys);
	}

	@ParameterizedTest
	@MethodSource("scripts")
	void onlyDeclaredKeysAreAccessed(Script script) {
		List<String> keys = names(text(script), "KEYS").stream().flatMap((key) -> Stream.of(key, "l." + key)).toList();
		List<MatchResult> calls = CALL.matcher(ofEachLock(script)).results().toList();

		assertThat(calls).hasSize((int) Pattern.compile("redis\\.").matcher(script.text()).results().count());
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
	@MethodSource("scripts")
	void digestMatchesTheOneComputedByRedis(Script script) {
		try (RedisConnection connection = TestRedis.shared().connectionFactory().getConnection()) {
			assertThat(connection.scriptingCommands().scriptLoad(script.bytes())).isEqualTo(script.sha1());
		}
	}

	List<String> includes(Script script) {
		return INCLUDE.matcher(text(script))
			.results()
			.flatMap((include) -> Stream.of(include.group(1).split(", ")))
			.toList();
	}

	/**
	 * Return the names that the header lists after a word, on several lines if necessary,
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
	 * Return the names of all arguments, including those of the caller.
	 */
	private List<String> arguments(Script script) {
		return names(text(script), "ARGV").stream()
			.flatMap((name) -> name.equals("the asker's arguments") ? names(library("asker"), "ARGV").stream()
					: Stream.of(name))
			.toList();
	}

	private static List<Integer> read(String text, String kind) {
		return Pattern.compile(kind + "\\[(\\d+)\\]")
			.matcher(text)
			.results()
			.map((index) -> Integer.valueOf(index.group(1)))
			.distinct()
			.toList();
	}

	private static List<Integer> upTo(int count) {
		return IntStream.rangeClosed(1, count).boxed().toList();
	}

	static String head(String text) {
		return text.substring(0, text.indexOf("\n\n"));
	}

	String text(Script script) {
		return read(folder(), script.name());
	}

	/**
	 * Return the text for one lock of a script that loops over several.
	 */
	private String ofOneLock(Script script) {
		String text = text(script);
		if (includes(script).contains("locks")) {
			text += library("locks");
		}
		if (includes(script).contains("asker")) {
			int before = ASKER.matcher(text).results().mapToInt((call) -> Integer.parseInt(call.group(1))).sum() - 1;
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
			.replace("[count + index]", "[2]")
			.replace("[4 * index - 3]", "[1]")
			.replace("[4 * index - 2]", "[2]")
			.replace("[4 * index - 1]", "[3]")
			.replace("[4 * index]", "[4]")
			.replace("[4 * count + 1]", "[5]")
			.replace("[4 * count + 2]", "[6]");
	}

	/**
	 * Return the text of a script with one lock in place of all of them.
	 */
	private static String ofEachLock(Script script) {
		return script.text()
			.replace("unpack(KEYS, count + 1)", "fence")
			.replace("unpack(KEYS)", "lock")
			.replace("unpack(ours)", "lock");
	}

	/**
	 * Return the names that a script gives to its keys, in order.
	 */
	private static Collection<String> called(String text) {
		Map<Integer, String> called = new TreeMap<>();
		Pattern.compile("((?:[\\w.]+, )*[\\w.]+) = (KEYS\\[\\d](?:, KEYS\\[\\d])*)")
			.matcher(text)
			.results()
			.forEach((list) -> {
				String[] names = list.group(1).replace("l.", "").split(", ");
				String[] keys = list.group(2).replaceAll("[^\\d,]", "").split(",");
				for (int i = 0; i < keys.length; i++) {
					called.put(Integer.valueOf(keys[i]), names[names.length - keys.length + i]);
				}
			});
		return called.values();
	}

	static String library(String name) {
		return read(LockScript.class, "lib/" + name);
	}

	private static String read(Class<?> folder, String name) {
		try (InputStream file = Objects.requireNonNull(folder.getResourceAsStream(name + ".lua"))) {
			return new String(file.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
