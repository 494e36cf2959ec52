package io.github.redislock.samples.quickstart;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RedisImageTests {

	@Test
	void usualImageIsUsedIfAvailable() {
		assertThat(RedisImage.choose(List.of("redis:9", "redis:8-alpine"))).isEqualTo("redis:8-alpine");
	}

	@Test
	void availableRedisImageIsUsedIfTheUsualOneIsMissing() {
		assertThat(RedisImage.choose(List.of("busybox:latest", "redis:7.0-local", "redis:6.2", "rediscommander:1")))
			.isEqualTo("redis:7.0-local");
	}

	@Test
	void usualImageIsPulledIfNoneIsAvailable() {
		assertThat(RedisImage.choose(List.of("postgres:17", "redis/redis-stack:latest"))).isEqualTo("redis:8-alpine");
	}

}
