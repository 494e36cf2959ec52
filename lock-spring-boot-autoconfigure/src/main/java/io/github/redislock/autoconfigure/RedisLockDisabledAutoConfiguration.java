package io.github.redislock.autoconfigure;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.internal.interceptor.LockedMethods;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Import;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for applications in which locks are
 * switched off, or {@link DistributedLockAutoConfiguration} is excluded: reports the
 * methods with {@link DistributedLock} or {@code LeaderOnly}, which run unlocked.
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnMissingBean(value = LockedMethods.class, search = SearchStrategy.CURRENT)
@Import(UnlockedMethodsReporter.class)
public final class RedisLockDisabledAutoConfiguration {

}
