package io.github.redislock.autoconfigure;

import java.time.Duration;

import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.leadership.Leadership;
import io.github.redislock.leadership.LockLeadership;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the {@link Leadership} of each
 * role under {@code redis-lock.leadership.roles}.
 * <p>
 * The bean of the role {@code mailer} is {@code mailerLeadership}, with the qualifier
 * {@code mailer}.
 */
@AutoConfiguration(after = RedisLockAutoConfiguration.class)
@Conditional(OnLocksEnabledCondition.class)
@Import({ RedisLockPropertiesConfiguration.class, LeadershipAutoConfiguration.Roles.class })
public final class LeadershipAutoConfiguration {

	static final String BEAN_NAME_SUFFIX = "Leadership";

	private final RedisLockProperties properties;

	private final ObjectProvider<LockOperations> locks;

	LeadershipAutoConfiguration(RedisLockProperties properties, ObjectProvider<LockOperations> locks) {
		this.properties = properties;
		this.locks = locks;
	}

	/**
	 * Create the bean of a role. The bean definitions refer to this method by its name.
	 */
	LockLeadership leadership(String role) {
		RedisLockProperties.Role settings = this.properties.leadership().role(role);
		Duration lease = settings.timeout();
		LockOptions options = LockOptions.options();
		LockLeadership leadership = new LockLeadership(role, this.locks.getObject(),
				(lease != null) ? options.timeout(lease) : options);
		leadership.setAutoStartup(settings.enabled() && !settings.resignWhenOutOfService());
		return leadership;
	}

	@Bean
	CandidacyByReadiness redisLockCandidacyByReadiness(ObjectProvider<LockLeadership> leaderships) {
		return new CandidacyByReadiness(this.properties.leadership(), leaderships);
	}

	@Bean
	LeaderOnlyBeans redisLockLeaderOnlyBeans(ObjectProvider<LockLeadership> leaderships,
			ConfigurableListableBeanFactory beanFactory, ObjectProvider<LifecycleProperties> lifecycle) {
		return new LeaderOnlyBeans(this.properties.leadership(), leaderships, beanFactory,
				lifecycle.getIfAvailable(LifecycleProperties::new).getTimeoutPerShutdownPhase());
	}

	/**
	 * Registers the beans of the roles. Reads the environment, because a properties bean
	 * would be created too early.
	 */
	static class Roles implements ImportBeanDefinitionRegistrar {

		private final Environment environment;

		Roles(Environment environment) {
			this.environment = environment;
		}

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			Binder.get(this.environment)
				.bind(LockPropertyNames.ROLES, Bindable.mapOf(String.class, Object.class))
				.ifBound((roles) -> roles.keySet().forEach((role) -> register(role, registry)));
		}

		private static void register(String role, BeanDefinitionRegistry registry) {
			RootBeanDefinition definition = new RootBeanDefinition(LockLeadership.class);
			definition.setFactoryBeanName(LeadershipAutoConfiguration.class.getName());
			definition.setFactoryMethodName("leadership");
			definition.getConstructorArgumentValues().addIndexedArgumentValue(0, role);
			definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, role));
			registry.registerBeanDefinition(role + BEAN_NAME_SUFFIX, definition);
		}

	}

}
