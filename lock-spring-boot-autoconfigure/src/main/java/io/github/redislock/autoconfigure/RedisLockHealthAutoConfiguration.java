package io.github.redislock.autoconfigure;

import io.github.redislock.LockOperations;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the {@link HealthIndicator} of
 * locks, which is named {@code redisLock}.
 */
@AutoConfiguration(after = RedisLockAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnSingleCandidate(LockOperations.class)
@ConditionalOnEnabledHealthIndicator("redis-lock")
@Import(RedisLockPropertiesConfiguration.class)
public final class RedisLockHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "redisLockHealthIndicator", "redisLockHealthContributor" })
	RedisLockHealthIndicator redisLockHealthIndicator(LockOperations locks, RedisServerChecks checks) {
		return new RedisLockHealthIndicator(locks, checks::findings, checks::place);
	}

}
