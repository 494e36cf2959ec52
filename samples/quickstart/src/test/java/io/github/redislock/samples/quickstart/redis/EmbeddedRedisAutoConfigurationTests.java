package io.github.redislock.samples.quickstart.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

import io.github.redislock.autoconfigure.RedisLockAutoConfiguration;
import io.github.redislock.autoconfigure.RedisLockStoreAutoConfiguration;
import io.github.redislock.samples.support.EmbeddedRedis;
import io.github.redislock.samples.support.RedisNotStartedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class EmbeddedRedisAutoConfigurationTests {

	private final ApplicationContextRunner context = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(EmbeddedRedisAutoConfiguration.class))
		.withPropertyValues("quickstart.embedded-redis.port=0");

	@Test
	void redisIsStartedIfNoneIsConfigured() {
		this.context.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class)).run((context) -> {
			context.getBean(StringRedisTemplate.class).opsForValue().set("greeting", "hello");

			assertThat(context.getBean(StringRedisTemplate.class).opsForValue().get("greeting")).isEqualTo("hello");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "host=redis", "port=6379", "url=redis://redis", "sentinel.master=shop",
			"cluster.nodes[0]=redis:6379", "masterreplica.nodes=redis:6379" })
	void redisIsNotStartedIfOneIsConfigured(String property) {
		this.context.withPropertyValues("spring.data.redis." + property)
			.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedRedis.class));
	}

	@Test
	void redisIsStartedIfOnlyOtherPropertiesAreConfigured() {
		this.context.withPropertyValues("spring.data.redis.timeout=2s")
			.run((context) -> assertThat(context).hasSingleBean(EmbeddedRedis.class));
	}

	@Test
	void redisIsNotStartedIfConnectionDetailsExist() {
		this.context.withBean("container", DataRedisConnectionDetails.class, () -> new DataRedisConnectionDetails() {
		}).run((context) -> assertThat(context).doesNotHaveBean(EmbeddedRedis.class));
	}

	@Test
	void startupCheckFindsNoProblems() {
		this.context
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, RedisLockAutoConfiguration.class,
					RedisLockStoreAutoConfiguration.class))
			.withPropertyValues("redis-lock.checks=fail")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void errorOnAnUnsupportedSystemNamesTheAlternatives() {
		String system = System.setProperty("os.name", "Windows 11");
		try {
			this.context.run((context) -> {
				FailureAnalysis analysis = new RedisNotStartedFailureAnalyzer().analyze(context.getStartupFailure());

				assertThat(analysis.getDescription()).contains("no Redis executable is bundled for Windows 11");
				assertThat(analysis.getAction()).contains("--spring.data.redis.host=", "-Pcompose");
			});
		}
		finally {
			System.setProperty("os.name", system);
		}
	}

	@Test
	void errorNamesTheOccupiedPort() throws IOException {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName(EmbeddedRedis.HOST))) {
			assertThatExceptionOfType(RedisNotStartedException.class)
				.isThrownBy(() -> EmbeddedRedis.start(taken.getLocalPort()))
				.withMessageContaining("port %d is taken", taken.getLocalPort());
		}
	}

}
