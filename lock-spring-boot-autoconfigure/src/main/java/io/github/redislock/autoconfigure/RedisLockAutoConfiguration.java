package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.stream.Stream;

import io.github.redislock.LockListener;
import io.github.redislock.LockOperations;
import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.engine.LockTimer;
import io.github.redislock.event.LockEventPublisher;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.store.LockStore;
import io.github.redislock.transaction.SpringTransactions;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.CompositeTaskDecorator;

/**
 * {@link EnableAutoConfiguration Auto-configuration} of the {@link RedisLockTemplate}.
 * <p>
 * Backs off when the application has its own {@link LockOperations} bean.
 */
@AutoConfiguration(after = RedisLockStoreAutoConfiguration.class)
@Conditional(OnLocksEnabledCondition.class)
@ConditionalOnMissingBean(LockOperations.class)
@Import(RedisLockPropertiesConfiguration.class)
public final class RedisLockAutoConfiguration {

	static final String TASK_DECORATOR_BEAN_NAME = "redisLockTaskDecorator";

	private static final Duration LONGEST_CLOSE_WAIT = Duration.ofHours(1);

	@Bean
	RedisLockTemplate redisLockTemplate(LockStore store, RedisLockProperties properties, Environment environment,
			ObjectProvider<LockListener> listeners, ObjectProvider<LockTimer> timer,
			ObjectProvider<TaskDecorator> decorators, ObjectProvider<LifecycleProperties> lifecycle,
			@Qualifier(TASK_DECORATOR_BEAN_NAME) ObjectProvider<TaskDecorator> ownDecorator) {
		String instance = properties.getInstanceId();
		LockConfiguration configuration = LockConfiguration.defaults()
			.options(properties.options())
			.instance((instance != null) ? instance : InstanceId.of(environment.getProperty("spring.application.name")))
			.grace(properties.getGrace())
			.warnAfter(properties.getWarnAfter())
			.closeWait(closeWait(properties, lifecycle.getIfAvailable(LifecycleProperties::new)))
			.maxKeys(properties.getMaxKeys())
			.maxPasses(properties.getHandOver().getMaxPasses())
			.slice(properties.getHandOver().getSlice())
			.listeners(listeners.orderedStream().toList())
			.taskDecorator(new CompositeTaskDecorator(
					Stream.concat(decorators.orderedStream(), ownDecorator.stream()).distinct().toList()))
			.transaction(properties.getTransaction().isCommitGuard() ? SpringTransactions.guarded()
					: SpringTransactions.unguarded());
		LockTimer custom = timer.getIfAvailable();
		return new RedisLockTemplate(store, (custom != null) ? configuration.timer(custom) : configuration);
	}

	@Bean
	LockEventPublisher redisLockEventPublisher(ApplicationEventPublisher publisher) {
		return new LockEventPublisher(publisher);
	}

	@Bean
	RedisLockTemplateLifecycle redisLockTemplateLifecycle(LockOperations template) {
		return new RedisLockTemplateLifecycle(template);
	}

	private static Duration closeWait(RedisLockProperties properties, LifecycleProperties lifecycle) {
		Duration own = properties.getCloseWait();
		if (own != null) {
			return own;
		}
		Duration phase = lifecycle.getTimeoutPerShutdownPhase();
		if (phase.isNegative()) {
			return Duration.ZERO;
		}
		return (phase.compareTo(LONGEST_CLOSE_WAIT) < 0) ? phase : LONGEST_CLOSE_WAIT;
	}

}
