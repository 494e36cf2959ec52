package io.github.redislock.redis;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnection;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(RedisServerExtension.class)
class LockScriptTests {

	private static final Pattern CALL = Pattern.compile("redis\\.call\\('([A-Z]+)'((?:, \\w+)*)");

	@Test
	void everyFileOfTheFolderIsAScriptAndEveryScriptHasItsFile() throws Exception {
		List<String> scripts = Arrays.stream(LockScript.values()).map(LockScriptTests::fileName).toList();

		try (Stream<Path> files = Files.list(folder())) {
			assertThat(files.map((file) -> file.getFileName().toString()).filter((file) -> file.endsWith(".lua")))
				.containsExactlyInAnyOrderElementsOf(
						Stream.concat(scripts.stream(), Stream.of("prelude.lua")).toList());
		}
	}

	@ParameterizedTest
	@EnumSource(LockScript.class)
	void headNamesPurposeKeysArgumentsAndAnswers(LockScript script) throws Exception {
		String text = text(script);
		String head = text.substring(0, text.indexOf("\n\n"));

		assertThat(head.lines()).allSatisfy((line) -> assertThat(line).startsWith("--"));
		assertThat(head.lines().findFirst().orElseThrow()).matches("-- [A-Z][a-z]+s .+");
		assertThat(head).contains("-- KEYS: lock, fence").contains("-- returns: ");
		assertThat(head.contains("-- ARGV: ")).isEqualTo(text.contains("ARGV["));
		assertThat(head.substring(head.indexOf("returns:")).contains("{")).isEqualTo(script.returnsList());
	}

	@ParameterizedTest
	@EnumSource(LockScript.class)
	void headNamesAsManyKeysAndArgumentsAsAreRead(LockScript script) throws Exception {
		String text = text(script);

		assertThat(count(text, "KEYS\\[\\d\\]")).isEqualTo(names(text, "KEYS"));
		assertThat(count(text, "ARGV\\[\\d\\]")).isEqualTo(names(text, "ARGV"));
	}

	@ParameterizedTest
	@EnumSource(LockScript.class)
	void onlyDeclaredKeysAreTouched(LockScript script) throws Exception {
		List<MatchResult> calls = CALL.matcher(text(script)).results().toList();

		assertThat(calls).hasSize((int) count(text(script), "redis\\.call"));
		assertThat(calls).allSatisfy((call) -> {
			List<String> operands = Stream.of(call.group(2).split(", ")).filter((part) -> !part.isEmpty()).toList();
			switch (call.group(1)) {
				case "TIME" -> assertThat(operands).isEmpty();
				case "MGET" -> assertThat(operands).isSubsetOf("lock", "fence", "cancel");
				default -> assertThat(operands.get(0)).isIn("lock", "fence", "cancel");
			}
		});
	}

	@ParameterizedTest
	@EnumSource(LockScript.class)
	void digestIsTheOneThatRedisReckons(LockScript script) {
		try (RedisConnection connection = TestRedis.shared().connectionFactory().getConnection()) {
			assertThat(connection.scriptingCommands().scriptLoad(script.bytes())).isEqualTo(script.sha1());
		}
	}

	private static long names(String text, String kind) {
		return text.lines()
			.filter((line) -> line.startsWith("-- " + kind + ": "))
			.findFirst()
			.map((line) -> line.replaceAll("\\([^)]*\\)", "").split(",").length)
			.orElse(0);
	}

	private static long count(String text, String pattern) {
		return Pattern.compile(pattern).matcher(text).results().count();
	}

	private static String text(LockScript script) throws IOException, URISyntaxException {
		return Files.readString(folder().resolve(fileName(script)));
	}

	private static String fileName(LockScript script) {
		return script.name().toLowerCase(Locale.ROOT).replace('_', '-') + ".lua";
	}

	private static Path folder() throws URISyntaxException {
		return Path.of(Objects.requireNonNull(LockScript.class.getResource("prelude.lua")).toURI()).getParent();
	}

}
