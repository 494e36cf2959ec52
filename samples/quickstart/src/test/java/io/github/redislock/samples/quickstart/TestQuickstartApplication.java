package io.github.redislock.samples.quickstart;

import org.testcontainers.containers.GenericContainer;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;

/**
 * The quickstart with a Redis in a container: {@code spring-boot:test-run}.
 */
final class TestQuickstartApplication {

	private TestQuickstartApplication() {
	}

	public static void main(String[] args) {
		SpringApplication.from(QuickstartApplication::main).with(RedisContainer.class).run(args);
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class RedisContainer {

		@Bean
		@ServiceConnection(name = "redis")
		GenericContainer<?> redis() {
			return new GenericContainer<>("redis:8-alpine").withExposedPorts(6379);
		}

	}

}
