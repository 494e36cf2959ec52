package io.github.redislock.autoconfigure;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockOperations;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link AsyncLockOperations} of
 * the application's template.
 */
@AutoConfiguration(after = RedisLockAutoConfiguration.class)
@Conditional(OnLocksEnabledCondition.class)
@ConditionalOnSingleCandidate(LockOperations.class)
@ConditionalOnMissingBean(AsyncLockOperations.class)
public final class AsyncLockAutoConfiguration {

	@Bean
	AsyncLockOperations asyncLockOperations(LockOperations locks) {
		return locks.async();
	}

}
