package io.github.redislock.autoconfigure;

import java.util.Objects;

import io.github.redislock.LockOperations;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the {@link InfoContributor} that
 * shows, under {@code redisLock}, where locks are kept.
 */
@AutoConfiguration(after = RedisLockAutoConfiguration.class)
@ConditionalOnClass({ InfoContributor.class, ConditionalOnEnabledInfoContributor.class })
@ConditionalOnSingleCandidate(LockOperations.class)
@ConditionalOnEnabledInfoContributor("redis-lock")
@Import(RedisLockPropertiesConfiguration.class)
public final class RedisLockInfoAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(RedisLockInfoContributor.class)
	RedisLockInfoContributor redisLockInfoContributor(LockOperations locks, RedisServerChecks checks,
			ObjectProvider<RedisLockStoreAutoConfiguration> configured) {
		return new RedisLockInfoContributor(locks, () -> Objects.requireNonNullElse(checks.place(),
				(configured.getIfAvailable() != null) ? "in-memory" : "of the application"));
	}

}
