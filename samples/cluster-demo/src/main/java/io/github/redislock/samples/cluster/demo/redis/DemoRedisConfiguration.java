package io.github.redislock.samples.cluster.demo.redis;

import io.github.redislock.samples.support.EmbeddedRedis;
import io.github.redislock.samples.support.RedisNotStartedException;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Starts an embedded Redis, unless a property turns it off.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty("cluster-demo.embedded-redis")
class DemoRedisConfiguration {

	@Bean
	EmbeddedRedis demoRedis() {
		try {
			return EmbeddedRedis.start(0);
		}
		catch (RedisNotStartedException ex) {
			throw new IllegalStateException(
					"Use your own Redis: --cluster-demo.embedded-redis=false --spring.data.redis.host=…", ex);
		}
	}

	@Bean
	DataRedisConnectionDetails demoRedisConnectionDetails(EmbeddedRedis demoRedis) {
		return new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of(EmbeddedRedis.HOST, demoRedis.port());
			}

		};
	}

}
