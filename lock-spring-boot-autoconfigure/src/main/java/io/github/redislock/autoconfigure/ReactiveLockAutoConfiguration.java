package io.github.redislock.autoconfigure;

import io.github.redislock.LockOperations;
import io.github.redislock.reactive.ReactiveLockOperations;
import io.github.redislock.reactive.ReactiveLockTemplate;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link ReactiveLockOperations}
 * on the application's template.
 */
@AutoConfiguration(after = RedisLockAutoConfiguration.class)
@Conditional(OnLocksEnabledCondition.class)
@ConditionalOnClass(Mono.class)
@ConditionalOnSingleCandidate(LockOperations.class)
@ConditionalOnMissingBean(ReactiveLockOperations.class)
public final class ReactiveLockAutoConfiguration {

	@Bean
	ReactiveLockTemplate reactiveLockTemplate(LockOperations locks) {
		return new ReactiveLockTemplate(locks);
	}

}
