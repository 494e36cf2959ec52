package io.github.redislock.aot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.springframework.util.AntPathMatcher;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The metadata that this library provides for every native image.
 */
class RuntimeHintsTests {

	private static final Path SOURCES = Path.of("src/main/java");

	private static final Path RESOURCES = Path.of("src/main/resources");

	/** A class that is looked up by its name. */
	private static final Pattern LOOKED_FOR = Pattern.compile("isPresent\\(\\s*\"([^\"]+)\"");

	private static final Pattern GLOB = Pattern.compile("\"glob\": \"([^\"]+)\"");

	private static final Pattern TYPE = Pattern.compile("\"(?:type|typeReached)\": \"([^\"]+)\"");

	private static final Pattern READABLE = Pattern.compile("\"type\": \"([^\"]+)\", \"allPublicMethods\": true");

	private static final Pattern PROXY = Pattern.compile("\"type\": \\{ \"proxy\": \\[\"([^\"]+)\"] }");

	private final String metadata = Files.readString(
			RESOURCES.resolve("META-INF/native-image/io.github.redislock/lock-core/reachability-metadata.json"));

	RuntimeHintsTests() throws IOException {
	}

	@Test
	void allScriptsAndTablesAreRegistered() throws IOException {
		List<String> resources = files(RESOURCES.resolve("io")).map((file) -> RESOURCES.relativize(file).toString())
			.toList();
		AntPathMatcher matcher = new AntPathMatcher();

		assertThat(resources).contains("io/github/redislock/redis/acquire.lua",
				"io/github/redislock/redis/lib/queue.lua", "io/github/redislock/fencing/lock_fence.sql");
		assertThat(resources).allSatisfy(
				(resource) -> assertThat(found(GLOB)).as(resource).anyMatch((glob) -> matcher.match(glob, resource)));
	}

	@Test
	void classesLookedUpByNameAreRegistered() throws IOException {
		List<String> names = new ArrayList<>();
		for (Path file : files(SOURCES).toList()) {
			Matcher matcher = LOOKED_FOR.matcher(Files.readString(file));
			while (matcher.find()) {
				names.add(matcher.group(1));
			}
		}

		assertThat(names).contains("io.lettuce.core.RedisClient",
				"org.springframework.transaction.support.TransactionSynchronizationManager");
		// Classes without an entry are never found. CRaC does not apply to native images.
		assertThat(found(TYPE)).containsAll(names.stream().filter((name) -> !name.equals("org.crac.Resource")).toList())
			.contains("org.springframework.data.redis.connection.RedisConnectionFactory");
	}

	@Test
	void proxiesAreRegistered() {
		assertThat(found(PROXY)).containsExactlyInAnyOrder("io.github.redislock.annotation.DistributedLock",
				"org.springframework.data.redis.connection.jedis.JedisClientConfiguration");
	}

	@Test
	void expressionsCanReadTheInvocationAndCommonValueTypes() {
		assertThat(found(READABLE)).contains(
				"io.github.redislock.internal.interceptor.declaration.CallContexts$CallRoot",
				"java.lang.reflect.Method", "java.lang.Class", "java.lang.Object", "java.lang.Long", "java.lang.String",
				"java.math.BigDecimal", "java.time.LocalDate", "java.util.UUID");
	}

	@Test
	void registeredTypesExist() {
		// These tests have no web framework on their class path.
		assertThat(Stream.of(TYPE, PROXY).flatMap((pattern) -> found(pattern).stream())).hasSizeGreaterThan(40)
			.filteredOn((name) -> !name.startsWith("org.springframework.http."))
			.allMatch((name) -> ClassUtils.isPresent(name, getClass().getClassLoader()));
	}

	private List<String> found(Pattern pattern) {
		return pattern.matcher(this.metadata).results().map((result) -> result.group(1)).toList();
	}

	private static Stream<Path> files(Path folder) throws IOException {
		try (Stream<Path> all = Files.walk(folder)) {
			return all.filter(Files::isRegularFile).toList().stream();
		}
	}

}
