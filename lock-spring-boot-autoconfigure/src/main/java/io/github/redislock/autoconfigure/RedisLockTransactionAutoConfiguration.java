package io.github.redislock.autoconfigure;

import io.github.redislock.transaction.CommitGuard;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the {@link CommitGuard} of the
 * application's transaction managers.
 */
@AutoConfiguration
@Conditional(OnLocksEnabledCondition.class)
@ConditionalOnClass(TransactionExecutionListener.class)
@Import(CommitGuardPostProcessor.class)
public final class RedisLockTransactionAutoConfiguration {

}
