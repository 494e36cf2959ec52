package io.github.redislock.samples.quickstart.redis;

import io.github.redislock.samples.support.EmbeddedRedis;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Starts a real Redis together with the application, unless properties, Docker Compose or
 * Testcontainers provide one.
 * <p>
 * This is an auto-configuration, so that its conditions are evaluated after all other
 * sources of connection details.
 */
@AutoConfiguration(before = DataRedisAutoConfiguration.class)
@ConditionalOnMissingBean(DataRedisConnectionDetails.class)
@Conditional(OnNoRedisConfigured.class)
class EmbeddedRedisAutoConfiguration {

	private static final Log logger = LogFactory.getLog(EmbeddedRedisAutoConfiguration.class);

	@Bean
	EmbeddedRedis embeddedRedis(@Value("${quickstart.embedded-redis.port}") int port) {
		EmbeddedRedis redis = EmbeddedRedis.start(port);
		logger.info("No Redis configured: started one on %s:%d for this run; use yours with --spring.data.redis.host=…"
			.formatted(EmbeddedRedis.HOST, redis.port()));
		return redis;
	}

	@Bean
	DataRedisConnectionDetails embeddedRedisConnectionDetails(EmbeddedRedis redis) {
		return new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of(EmbeddedRedis.HOST, redis.port());
			}

		};
	}

}
