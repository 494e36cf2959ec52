package io.github.redislock.samples.cluster.demo.redis;

import java.io.IOException;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Brings a Redis along, unless told otherwise.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty("cluster-demo.embedded-redis")
class DemoRedisConfiguration {

	@Bean
	DemoRedis demoRedis() throws IOException, InterruptedException {
		return DemoRedis.start();
	}

	@Bean
	DataRedisConnectionDetails demoRedisConnectionDetails(DemoRedis redis) {
		return new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of(DemoRedis.HOST, redis.port());
			}

		};
	}

}
