package io.github.redislock.autoconfigure;

import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOperations;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.store.LockStore;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.fail;

@ExtendWith(OutputCaptureExtension.class)
class FailureAnalysisTests {

	private static final String FAILED = "APPLICATION FAILED TO START";

	@Test
	void missingConnectionFactoryIsExplained(CapturedOutput output) {
		String report = start(output, Application.class);

		assertThat(report).contains("Locks need Redis, but there is no bean of type RedisConnectionFactory.")
			.contains("- add the dependency 'org.springframework.boot:spring-boot-starter-data-redis', and set"
					+ " 'spring.data.redis.host' or 'spring.data.redis.url' unless Redis runs on localhost:6379")
			.contains("- declare a bean of type RedisConnectionFactory, LockStore or RedisLockTemplate")
			.contains("- set 'redis-lock.store=in-memory' if")
			.contains("- set 'redis-lock.enabled=false' to run without locks");
	}

	@Test
	void severalConnectionFactoriesAreExplained(CapturedOutput output) {
		String report = start(output, TwoFactories.class);

		assertThat(report).contains("there are several beans of type RedisConnectionFactory: 'first', 'second'.")
			.contains("- set 'redis-lock.connection-factory' to the name of the one that holds the locks")
			.contains("- mark it with @Primary")
			.contains("- declare a bean of type LockStore or RedisLockTemplate that uses it");
	}

	@Test
	void unknownConnectionFactoryIsExplained(CapturedOutput output) {
		String report = start(output, TwoFactories.class, "--redis-lock.connection-factory=third");

		assertThat(report)
			.contains("'redis-lock.connection-factory' is 'third', but no bean of type"
					+ " RedisConnectionFactory has that name. There is 'first', 'second'.")
			.contains("Correct the name, or remove the property.");
	}

	@Test
	void unsupportedClusterOptionIsExplained(CapturedOutput output) {
		String report = start(output, ClusterFactory.class, "--redis-lock.cold-start-quarantine=30s");

		assertThat(report)
			.contains("Locks cannot be kept in this Redis: redis-lock.cold-start-quarantine does not work in a"
					+ " Redis Cluster.")
			.contains("Remove this property, or keep locks in a Redis that is not a Cluster.");
	}

	@Test
	void invalidInstanceIdIsExplained(CapturedOutput output) {
		String report = start(output, Application.class, "--redis-lock.store=in-memory",
				"--redis-lock.instance-id=shared orders");

		assertThat(report).contains("Property: redis-lock.instance-id")
			.contains("instance must not begin with 'shared '");
	}

	@ParameterizedTest
	@ValueSource(classes = { NeedsTemplate.class, NeedsOperations.class })
	void missingBeanIsExplainedIfLocksAreDisabled(Class<?> application, CapturedOutput output) {
		String report = start(output, application, "--redis-lock.enabled=false");

		Class<?> needed = application.getDeclaredConstructors()[0].getParameterTypes()[0];
		assertThat(report)
			.contains("Locks are switched off by 'redis-lock.enabled=false', but Parameter 0 of constructor in "
					+ application.getName() + " needs a bean of type '" + needed.getName() + "'.")
			.contains("Set 'redis-lock.enabled=true', inject an ObjectProvider<" + needed.getSimpleName()
					+ ">, or declare a bean of this type.");
	}

	@Test
	void otherMissingBeansAreExplainedBySpringBoot(CapturedOutput output) {
		assertThat(start(output, NeedsConnectionFactory.class, "--redis-lock.enabled=false"))
			.contains("of type '" + RedisConnectionFactory.class.getName() + "' that could not be found")
			.doesNotContain("Locks are switched off");
		assertThat(start(output, NeedsStore.class))
			.contains("of type '" + LockStore.class.getName() + "' that could not be found");
	}

	@Test
	void severalTemplatesAreExplained(CapturedOutput output) {
		String report = start(output, TwoTemplates.class);

		assertThat(report).contains("Locked methods need one bean of type LockOperations: ", "but found 2: one,other.")
			.contains("add @Primary to the one that locked methods should use,");
	}

	@Test
	void allMethodsThatCannotBeLockedAreExplained(CapturedOutput output) {
		String report = start(output, WrongMethods.class, "--redis-lock.store=in-memory");

		assertThat(report)
			.contains("Method '" + Wrong.class.getName() + ".first(String)' cannot be locked: its key '#idd' uses"
					+ " '#idd', which does not exist; there is '#root', '#id', '#p0', '#a0'.")
			.contains("Method '" + Wrong.class.getName() + ".second()' cannot be locked: a proxy cannot intercept '")
			.contains("Correct the name of the variable.")
			.contains("neither static nor final (in Kotlin, add 'open').");
	}

	@Test
	void lockedLifecycleCallbacksAreExplained(CapturedOutput output) {
		String report = start(output, Callbacks.class, "--redis-lock.store=in-memory");

		assertThat(report)
			.contains("Method '" + Warm.class.getName() + ".load()' cannot be locked: the container calls it"
					+ " directly, not through the proxy, when it creates or destroys the bean.")
			.contains("Method '" + Warm.class.getName() + ".save()' cannot be locked: the container calls it")
			.contains("For work at startup, use a CommandLineRunner, or another method with"
					+ " @EventListener(ApplicationReadyEvent.class)")
			.doesNotContain("ran without its lock");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			redis-lock.timeout=1ms                | must be at least 10ms but is 1ms
			redis-lock.retry=3x                   | For input string: "3x"
			redis-lock.retry=-1                   | retry must not be negative but is -1
			redis-lock.max-waiters=-1             | maxWaiters must not be negative but is -1
			redis-lock.retry-delay=0ms            | retryDelay must be at least 1ms but is 0ms
			redis-lock.renew-every=99ms           | renewEvery must be at least 100ms but is 99ms
			redis-lock.wait-time=-1s              | waitTime must not be negative but is -1s
			redis-lock.timeout=forever            | is not a valid duration
			redis-lock.command-timeout=0s         | command-timeout must be at least 1ms but is 0ms
			redis-lock.command-timeout=61m        | command-timeout must be at most 1h but is 1h 1m
			redis-lock.grace=-1s                  | grace must not be negative but is -1s
			redis-lock.close-wait=2h              | closeWait must be at most 1h but is 2h
			redis-lock.hand-over.slice=-1ms       | slice must not be negative but is -1ms
			redis-lock.hand-over.slice=2h         | slice must be at most
			redis-lock.cold-start-quarantine=-1s  | cold-start-quarantine must not be negative but is -1s
			redis-lock.cache.stale-for=-1s        | cache.stale-for must not be negative but is -1s
			redis-lock.cold-start-quarantine=25h  | cold-start-quarantine must be at most 1d but is 1d 1h
			redis-lock.replication.min-acks=-1    | minAcks must be at least 0 and at most 100 but is -1
			redis-lock.store=disk                 | IN_MEMORY
			""")
	void invalidPropertiesAreExplained(String property, String reason, CapturedOutput output) {
		String report = start(output, Application.class, "--" + property);

		assertThat(report).containsIgnoringCase(property.substring(0, property.indexOf('=')))
			.containsIgnoringCase(reason);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			timeout   | soon  | is not a valid duration
			wait-time | -1s   | waitTime must not be negative but is -1s
			order     | first | For input string: "first"
			enabled   | maybe | Invalid boolean value
			checks    | maybe | The following values are valid:
			""")
	void invalidPropertiesAreReportedWithValueOriginAndReason(String name, String value, String reason,
			CapturedOutput output) {
		String report = start(output, Application.class, "--redis-lock.%s=%s".formatted(name, value));

		assertProperty(report, name, value).contains("Origin: \"redis-lock.%s\" from property source".formatted(name))
			.contains(reason);
	}

	@Test
	void renewalIntervalTooLongForTheLeaseIsExplained(CapturedOutput output) {
		String report = start(output, Application.class, "--redis-lock.store=in-memory", "--redis-lock.timeout=20s",
				"--redis-lock.renew-every=11s");

		assertProperty(report, "renew-every", "11s")
			.contains("A lock with a lease of 20s needs time for a second renewal if one is lost: renewEvery (at least"
					+ " 100ms) must be at most 10s but is 11s");
		assertProperty(start(output, Application.class, "--redis-lock.store=in-memory", "--redis-lock.max-hold=20s",
				"--redis-lock.renew-every=11s"), "renew-every", "11s")
			.contains("must be at most 10s but is 11s");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "timeout", "retry-delay", "wait-time", "renew-every", "max-hold", "warn-after", "close-wait",
					"command-timeout", "grace", "cold-start-quarantine", "hand-over.slice", "quorum.node-timeout" })
	void durationsWithoutUnitAreRefused(String name, CapturedOutput output) {
		String report = start(output, Application.class, "--redis-lock.%s=30".formatted(name),
				"--redis-lock.store=in-memory");

		assertProperty(report, name, "30")
			.contains("it has no unit, and would be 30 milliseconds: write 30s, 500ms or PT30S");
	}

	@Test
	void durationsFromPlaceholdersAndNumbersNeedAUnit(CapturedOutput output) {
		assertProperty(start(output, Application.class, "--redis-lock.timeout=${lease}", "--lease=30"), "timeout",
				"${lease}")
			.contains("it has no unit, and would be 30 milliseconds");
		SpringApplicationBuilder application = new SpringApplicationBuilder(Application.class)
			.properties(Map.of("redis-lock.wait-time", 7));
		assertProperty(start(output, application), "wait-time", "7")
			.contains("it has no unit, and would be 7 milliseconds");
	}

	private static AbstractStringAssert<?> assertProperty(String report, String name, String value) {
		return assertThat(report).contains("Property: redis-lock." + name).contains("Value: \"" + value + "\"");
	}

	private static String start(CapturedOutput output, Class<?> application, String... arguments) {
		return start(output, new SpringApplicationBuilder(application), arguments);
	}

	/**
	 * Start an application that fails, and return only the report, because other lines
	 * contain the messages of all causes.
	 */
	static String start(CapturedOutput output, SpringApplicationBuilder application, String... arguments) {
		int before = output.length();
		assertThatException().isThrownBy(() -> application.resourceLoader(new DefaultResourceLoader(new OursLast()))
			.web(WebApplicationType.NONE)
			.run(arguments)
			.close());
		assertThat(output.toString().substring(before)).containsOnlyOnce(FAILED);
		return output.toString().substring(output.toString().lastIndexOf(FAILED));
	}

	/**
	 * Finds the analyzers of Spring Boot before ours, as in an application whose starter
	 * comes last.
	 */
	private static final class OursLast extends ClassLoader {

		private OursLast() {
			super(FailureAnalysisTests.class.getClassLoader());
		}

		@Override
		public Enumeration<URL> getResources(String name) throws IOException {
			List<URL> reversed = Collections.list(super.getResources(name));
			Collections.reverse(reversed);
			return Collections.enumeration(reversed);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ RedisLockAutoConfiguration.class, RedisLockStoreAutoConfiguration.class,
			DistributedLockAutoConfiguration.class, RedisLockDisabledAutoConfiguration.class })
	static class Application {

	}

	static class ClusterFactory extends Application {

		@Bean
		RedisConnectionFactory cluster() {
			return new LettuceConnectionFactory(new RedisClusterConfiguration(List.of("localhost:1")));
		}

	}

	static class TwoFactories extends Application {

		@Bean
		RedisConnectionFactory first() {
			return new LettuceConnectionFactory();
		}

		@Bean
		RedisConnectionFactory second() {
			return new LettuceConnectionFactory();
		}

	}

	static class NeedsTemplate extends Application {

		NeedsTemplate(RedisLockTemplate locks) {
		}

	}

	static class NeedsOperations extends Application {

		NeedsOperations(LockOperations locks) {
		}

	}

	static class NeedsConnectionFactory extends Application {

		NeedsConnectionFactory(RedisConnectionFactory redis) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NeedsStore {

		NeedsStore(LockStore store) {
		}

	}

	static class TwoTemplates extends Application {

		@Bean
		RedisLockTemplate one() {
			return new RedisLockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());
		}

		@Bean
		RedisLockTemplate other() {
			return new RedisLockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());
		}

	}

	static class WrongMethods extends Application {

		@Bean
		Wrong wrong() {
			return new Wrong();
		}

	}

	static class Wrong {

		@DistributedLock(key = "#idd")
		void first(String id) {
		}

		@DistributedLock
		final void second() {
		}

	}

	static class Callbacks extends Application {

		@Bean
		Warm warm() {
			return new Warm();
		}

	}

	static class Warm {

		@PostConstruct
		@DistributedLock
		void load() {
			fail("It ran without its lock");
		}

		@PreDestroy
		@DistributedLock
		void save() {
			fail("It ran without its lock");
		}

	}

}
