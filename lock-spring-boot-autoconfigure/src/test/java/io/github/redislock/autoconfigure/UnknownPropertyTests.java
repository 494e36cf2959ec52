package io.github.redislock.autoconfigure;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class UnknownPropertyTests {

	private static final String WARNING = "Ignoring unknown redis-lock properties";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(RedisLockStoreAutoConfiguration.class,
				RedisLockAutoConfiguration.class, RedisLockInfoAutoConfiguration.class))
		.withPropertyValues("redis-lock.store=in-memory");

	@Test
	void unknownPropertiesAreReportedOnceWithTheNearestName(CapturedOutput output) {
		this.runner
			.withPropertyValues("redis-lock.timeot=30s", "redis-lock.handover.slise=20ms", "redis-lock.quorum.node=a",
					"redis-lock.nothing-like-it-at-all=1")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).containsOnlyOnce(WARNING)
					.contains("'redis-lock.timeot' (\"redis-lock.timeot\" from property source \"test\"), did you mean"
							+ " 'redis-lock.timeout'?")
					.contains("'redis-lock.handover.slise' (")
					.contains("did you mean 'redis-lock.hand-over.slice'?")
					.contains("did you mean 'redis-lock.quorum.nodes'?")
					.contains("'redis-lock.nothing-like-it-at-all' (\"redis-lock.nothing-like-it-at-all\" from property"
							+ " source \"test\")");
			});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			lease                           | timeout
			lease-time                      | timeout
			ttl                             | timeout
			lock-at-most-for                | timeout
			default-lock-at-most-for        | timeout
			lock-timeout                    | timeout
			expire-after                    | timeout
			lock-watchdog-timeout           | timeout
			wait                            | wait-time
			acquire-timeout                 | wait-time
			wait-timeout                    | wait-time
			prefix                          | key-prefix
			registry-key                    | key-prefix
			close-wiat                      | close-wait
			leadership.mailer.timeout       | leadership.roles.mailer.timeout
			leadership.roles.mailer.lease   | leadership.roles.mailer.timeout
			""")
	void wordsOfOtherLibrariesAreAnsweredWithTheProperty(String unknown, String known, CapturedOutput output) {
		this.runner.withPropertyValues("redis-lock." + unknown + "=30s")
			.run((context) -> assertThat(output).contains("did you mean 'redis-lock." + known + "'?"));
	}

	/** Each method declares its own minimum time, and Spring knows the address. */
	@ParameterizedTest
	@ValueSource(strings = { "lock-at-least-for", "default-lock-at-least-for", "url" })
	void wordsWithoutAPropertyAreAnsweredWithNone(String unknown, CapturedOutput output) {
		this.runner.withPropertyValues("redis-lock." + unknown + "=30s")
			.run((context) -> assertThat(output).contains("'redis-lock." + unknown + "'")
				.doesNotContain("did you mean"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "quorum.nodes.a", "cache.load-once.prices", "retry[0]" })
	void namesInAListAndNumbersOutsideOfListsAreReported(String unknown, CapturedOutput output) {
		this.runner.withPropertyValues("redis-lock." + unknown + "=redis://a")
			.run((context) -> assertThat(output).contains(WARNING).contains("'redis-lock." + unknown + "'"));
	}

	@Test
	void otherPropertiesAreCheckedAsUsual() {
		BindHandler checks = new LockPropertyChecks(new StandardEnvironment())
			.apply(new NoUnboundElementsBindHandler(BindHandler.DEFAULT, (source) -> true));
		Binder binder = new Binder(new MapConfigurationPropertySource(Map.of("shop.nam", "books")));

		assertThatExceptionOfType(BindException.class)
			.isThrownBy(() -> binder.bind("shop", Bindable.of(Shop.class), checks))
			.withCauseInstanceOf(UnboundConfigurationPropertiesException.class);
	}

	@Test
	void systemPropertiesAreChecked(CapturedOutput output) {
		this.runner.withSystemProperties("redis-lock.retries=5")
			.run((context) -> assertThat(output).contains("'redis-lock.retries'")
				.contains("did you mean 'redis-lock.retry'?"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis-lock.closeWait=3s", "redis-lock.close_wait=3s", "redis-lock.handOver.slice=3ms",
			"redis_lock.waitTime=3s", "REDIS-LOCK.WAIT-TIME=3s", "redis-lock.quorum.nodes[0]=redis://a",
			"redis-lock.quorum.nodes=redis://a,redis://b,redis://c", "redis-lock-other.name=1",
			"management.health.redis-lock.enabled=false", "redis-lock.order=3" })
	void knownPropertiesInOtherSpellingsAreNotReported(String property, CapturedOutput output) {
		this.runner.withPropertyValues(property).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).doesNotContain(WARNING);
		});
	}

	@Test
	void environmentVariablesCauseNoFalseAlarm(CapturedOutput output) {
		this.runner.withInitializer((context) -> context.getEnvironment()
			.getPropertySources()
			.replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, new SystemEnvironmentPropertySource(
					StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
					Map.of("REDISLOCK_TIMEOUT", "7s", "REDISLOCK_HANDOVER_SLICE", "3ms", "REDIS_LOCK_WAIT_TIME", "3s",
							"REDISLOCK_PORT", "tcp://10.0.0.1:6379", "REDISLOCK_SERVICE_HOST", "10.0.0.1"))))
			.run((context) -> {
				assertThat(context.getBean(RedisLockProperties.class).timeout()).hasSeconds(7);
				assertThat(output).doesNotContain(WARNING);
			});
	}

	record Shop(String name) {
	}

}
