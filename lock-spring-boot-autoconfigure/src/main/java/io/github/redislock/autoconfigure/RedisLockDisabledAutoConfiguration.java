package io.github.redislock.autoconfigure;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.internal.interceptor.LockedMethods;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for applications in which locks are
 * switched off: reports the methods with {@link DistributedLock} or {@code LeaderOnly},
 * which run unlocked.
 */
@AutoConfiguration
@Conditional(OnLocksDisabledCondition.class)
@ConditionalOnMissingBean(LockedMethods.class)
@Import(UnlockedMethodsReporter.class)
public final class RedisLockDisabledAutoConfiguration {

}
