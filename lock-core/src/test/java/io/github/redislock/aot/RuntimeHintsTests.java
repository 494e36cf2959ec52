package io.github.redislock.aot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.redislock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The hints that this library gives to any native image.
 */
class RuntimeHintsTests {

	private static final Path SOURCES = Path.of("src/main/java");

	private static final Path RESOURCES = Path.of("src/main/resources");

	/** A class that is looked up by its name. */
	private static final Pattern LOOKED_FOR = Pattern.compile("isPresent\\(\\s*\"([^\"]+)\"");

	private final RuntimeHints hints = registeredHints();

	@Test
	void allScriptsAndTablesAreRegistered() throws IOException {
		List<String> resources = files(RESOURCES.resolve("io")).map((file) -> RESOURCES.relativize(file).toString())
			.toList();

		assertThat(resources).contains("io/github/redislock/redis/acquire.lua",
				"io/github/redislock/redis/lib/queue.lua", "io/github/redislock/fencing/lock_fence.sql");
		assertThat(resources).allSatisfy(
				(resource) -> assertThat(RuntimeHintsPredicates.resource().forResource(resource)).accepts(this.hints));
	}

	@Test
	void classesLoadedByNameAreRegistered() throws IOException {
		List<String> names = new ArrayList<>();
		for (Path file : files(SOURCES).toList()) {
			Matcher matcher = LOOKED_FOR.matcher(Files.readString(file));
			while (matcher.find()) {
				names.add(matcher.group(1));
			}
		}

		assertThat(names).contains("io.lettuce.core.RedisClient",
				"org.springframework.transaction.support.TransactionSynchronizationManager");
		// Each needs a hint in the package that looks it up, or is never found. CRaC does
		// not apply to native images.
		assertThat(names).filteredOn((name) -> !name.equals("org.crac.Resource"))
			.allSatisfy((name) -> assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of(name)))
				.accepts(this.hints));
	}

	@Test
	void annotationCanBeSynthesized() {
		assertThat(RuntimeHintsPredicates.proxies().forInterfaces(DistributedLock.class)).accepts(this.hints);
	}

	@Test
	void expressionsCanReadTheInvocationAndCommonValueTypes() throws NoSuchMethodException {
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(TypeReference.of("io.github.redislock.interceptor.declaration.CallContext$CallRoot")))
			.accepts(this.hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(UUID.class, "toString")).accepts(this.hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(LocalDate.class, "getYear"))
			.accepts(this.hints);
	}

	private static RuntimeHints registeredHints() {
		RuntimeHints hints = new RuntimeHints();
		ClassLoader classLoader = RuntimeHintsTests.class.getClassLoader();
		SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories", classLoader)
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter((registrar) -> registrar.getClass().getName().startsWith("io.github.redislock."))
			.forEach((registrar) -> registrar.registerHints(hints, classLoader));
		return hints;
	}

	private static Stream<Path> files(Path folder) throws IOException {
		try (Stream<Path> all = Files.walk(folder)) {
			return all.filter(Files::isRegularFile).toList().stream();
		}
	}

}
