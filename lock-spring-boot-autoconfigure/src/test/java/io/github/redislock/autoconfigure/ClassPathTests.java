package io.github.redislock.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.testing.Effort;
import io.github.redislock.testing.JavaProcess;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications in separate processes, each without some optional jars. With all jars on
 * the class path, a class that is loaded unnecessarily would not be detected.
 * <p>
 * None of them has {@code lock-quorum}, Kotlin or AspectJ. All of them have
 * {@code spring-aop} and {@code spring-tx}, since {@code spring-context} and Spring Data
 * Redis need them.
 */
@Timeout(180)
class ClassPathTests {

	private static final Map<ClassPath, CompletableFuture<Run>> runs = new EnumMap<>(ClassPath.class);

	@BeforeAll
	static void startAll() {
		ExecutorService two = Executors.newFixedThreadPool(2);
		classPaths()
			.forEach((classPath) -> runs.put(classPath, CompletableFuture.supplyAsync(() -> run(classPath), two)));
		two.shutdown();
	}

	@AfterAll
	static void printTable() {
		System.out.printf("| %-60s | starts | locks | hands over | releases |%n", "class path");
		runs.forEach((classPath, run) -> System.out.printf("| %-60s | %-6s | %-5s | %-10s | %-8s |%n", classPath,
				run.join().cell("starts"), run.join().cell("locks"), run.join().cell("hands over"),
				run.join().cell("releases")));
	}

	@ParameterizedTest
	@MethodSource("classPaths")
	void applicationAcquiresAndReleasesLocks(ClassPath classPath) {
		Run run = runs.get(classPath).join();

		assertThat(run.exitCode()).as(run.output()).isZero();
		assertThat(run.output().lines()).contains("starts with " + classPath.client, "locks", "hands over", "releases");
		assertThat(run.output()).doesNotContain("NoClassDefFoundError", "ClassNotFoundException");
	}

	/**
	 * Return the class paths that lack almost everything or one jar; in a thorough run,
	 * some more.
	 */
	static Stream<ClassPath> classPaths() {
		return Stream.of(ClassPath.values()).limit(Effort.of(2, ClassPath.values().length));
	}

	private static Run run(ClassPath classPath) {
		TestRedis redis = TestRedis.shared();
		ProcessBuilder builder = JavaProcess.of(ClassPathApplication.class, "--server.port=0",
				"--spring.main.banner-mode=off", "--spring.data.redis.host=" + redis.host(),
				"--spring.data.redis.port=" + redis.port(), "--redis-lock.key-prefix=" + classPath.name() + ":");
		builder.command().set(builder.command().indexOf("-cp") + 1, classPath.jars());
		try {
			Process process = builder.start();
			String output = process.inputReader().lines().collect(Collectors.joining("\n"));
			return new Run(process.waitFor(), output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * The optional parts of a class path.
	 */
	enum ClassPath {

		STARTER_ALONE("Lettuce", Missing.JEDIS, Missing.MICROMETER, Missing.ACTUATOR, Missing.WEB,
				Missing.TRANSACTIONS),

		STARTER_WITH_JEDIS_INSTEAD_OF_LETTUCE("Jedis", Missing.LETTUCE, Missing.REACTOR, Missing.MICROMETER,
				Missing.ACTUATOR, Missing.WEB, Missing.TRANSACTIONS),

		WITHOUT_ACTUATOR("Lettuce", Missing.ACTUATOR),

		WITHOUT_WEB("Lettuce", Missing.WEB),

		WITHOUT_TRANSACTIONS("Lettuce", Missing.TRANSACTIONS),

		LETTUCE_WITHOUT_JEDIS("Lettuce", Missing.JEDIS),

		JEDIS_WITHOUT_LETTUCE("Jedis", Missing.LETTUCE),

		JEDIS_WITHOUT_LETTUCE_AND_REACTOR("Jedis", Missing.LETTUCE, Missing.REACTOR),

		WITHOUT_MICROMETER_ACTUATOR_AND_WEB("Lettuce", Missing.MICROMETER, Missing.ACTUATOR, Missing.WEB);

		private final String client;

		private final List<Missing> missing;

		ClassPath(String client, Missing... missing) {
			this.client = client + "ConnectionFactory";
			this.missing = List.of(missing);
		}

		/**
		 * Return this test's class path without the missing jars.
		 */
		String jars() {
			List<Path> jars = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
				.map(Path::of)
				.filter(Predicate.not(Missing.LIBRARY_OF_TESTS::isIn))
				.filter((jar) -> !jar.toString().contains("lock-quorum"))
				.toList();
			assertThat(this.missing).allSatisfy((lack) -> assertThat(jars).anyMatch(lack::isIn));
			return jars.stream()
				.filter((jar) -> this.missing.stream().noneMatch((lack) -> lack.isIn(jar)))
				.map(Path::toString)
				.collect(Collectors.joining(File.pathSeparator));
		}

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT).replace('_', ' ');
		}

	}

	/**
	 * The jars are identified by prefixes of their names.
	 */
	private enum Missing {

		LETTUCE("lettuce-|netty-|spring-boot-netty-"), JEDIS("jedis-|commons-pool2-|gson-|json-|redis-authx-"),
		REACTOR("reactor-|reactive-streams-"),
		MICROMETER("micrometer-|spring-boot-micrometer-|spring-boot-starter-micrometer-|HdrHistogram-"),
		ACTUATOR("spring-boot-actuator-|spring-boot-health-|spring-boot-starter-actuator-"),
		WEB("spring-web|tomcat-|spring-boot-(web|servlet|tomcat|http|starter-web|starter-tomcat)"),
		TRANSACTIONS("spring-jdbc-|spring-boot-(jdbc|sql|transaction|persistence|starter-jdbc)-|HikariCP-|h2-"),
		LIBRARY_OF_TESTS("junit-|assertj-|awaitility-|archunit|byte-buddy-|testcontainers-|docker-java-|embedded-redis-"
				+ "|guava-|commons-(compress|io|lang3|codec)-|spring-test-|spring-core-test-|spring-boot-test-");

		private final Predicate<String> names;

		Missing(String beginnings) {
			this.names = Pattern.compile("(" + beginnings + ").*").asMatchPredicate();
		}

		boolean isIn(Path jar) {
			return this.names.test(jar.getFileName().toString());
		}

	}

	private record Run(int exitCode, String output) {

		String cell(String achievement) {
			return this.output.lines().anyMatch((line) -> line.startsWith(achievement)) ? "yes" : "NO";
		}

	}

}
