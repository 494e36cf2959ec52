package io.github.redislock.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.redislock.LockOperations;
import io.github.redislock.autoconfigure.RedisServerCheck.Finding;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.store.LockStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Creates the store in Redis. This is a separate class, so that applications without
 * Redis do not load Redis classes.
 */
final class RedisStoreFactory {

	private static final Log logger = LogFactory.getLog(RedisStoreFactory.class);

	private static final String CONNECTION_FACTORY = "org.springframework.data.redis.connection.RedisConnectionFactory";

	private RedisStoreFactory() {
	}

	static LockStore create(RedisLockProperties properties, ConfigurableListableBeanFactory beanFactory) {
		ClassLoader classLoader = beanFactory.getBeanClassLoader();
		if (!ClassUtils.isPresent(CONNECTION_FACTORY, classLoader)) {
			throw new LockSetupException("Locks need Redis, but Spring Data Redis is not on the class path.",
					ConnectionFactoryChoice.NO_REDIS_ACTION, null);
		}
		if (properties.quorum().isWanted()) {
			return quorum(classLoader).create(properties, options(beanFactory));
		}
		String name = ConnectionFactoryChoice.choose(properties.connectionFactory(), beanFactory);
		// Make the container destroy the store, and the template that uses it, before the
		// connection factory.
		beanFactory.registerDependentBean(name, RedisLockStoreAutoConfiguration.STORE_BEAN_NAME);
		RedisConnectionFactory connectionFactory = beanFactory.getBean(name, RedisConnectionFactory.class);
		try {
			return RedisLockStore.create(connectionFactory, options(beanFactory));
		}
		catch (IllegalArgumentException ex) {
			throw new LockSetupException("Locks cannot be kept in this Redis: %s.".formatted(ex.getMessage()),
					"Remove this property, or keep locks in a Redis that is not a Cluster.", ex);
		}
	}

	/**
	 * Return a check of the Redis that keeps the locks. The check blocks, and returns
	 * {@code null} if Redis is not available, unless it is a quorum.
	 * @return the check, or {@code null} if locks are not kept in Redis
	 */
	static @Nullable Supplier<@Nullable List<Finding>> check(RedisLockProperties properties,
			ConfigurableListableBeanFactory beanFactory) {
		if (properties.store() != RedisLockProperties.Store.REDIS) {
			return null;
		}
		RedisLockStoreOptions options = options(beanFactory);
		if (properties.quorum().isWanted()) {
			QuorumStoreFactory quorum = quorum(beanFactory.getBeanClassLoader());
			return () -> {
				List<Finding> findings = new ArrayList<>();
				quorum.visit(properties, (name, node) -> {
					List<Finding> found = new RedisServerCheck(node, options).run();
					((found != null) ? found : List.<Finding>of()).forEach((finding) -> findings
						.add(new Finding("Node %s: %s".formatted(name, finding.problem()), finding.remedy())));
				});
				return findings;
			};
		}
		String name = ConnectionFactoryChoice.choose(properties.connectionFactory(), beanFactory);
		return new RedisServerCheck(beanFactory.getBean(name, RedisConnectionFactory.class), options)::run;
	}

	/**
	 * Return a check for a template that the application declares, and log which Redis it
	 * uses.
	 * @return the check, or {@code null} if that Redis is unknown
	 */
	static @Nullable Supplier<@Nullable List<Finding>> checkOfOwnTemplate(ConfigurableListableBeanFactory beanFactory) {
		if (!ClassUtils.isPresent(CONNECTION_FACTORY, beanFactory.getBeanClassLoader())) {
			return null;
		}
		String[] templates = beanFactory.getBeanNamesForType(LockOperations.class);
		for (String name : (templates.length == 1) ? beanFactory.getDependenciesForBean(templates[0]) : templates) {
			if (beanFactory.isTypeMatch(name, RedisConnectionFactory.class)) {
				RedisServerCheck check = new RedisServerCheck(beanFactory.getBean(name, RedisConnectionFactory.class),
						RedisLockStoreOptions.defaults());
				logger.info(("Bean '%s' of the application acquires locks instead of the auto-configured template, in"
						+ " Redis at '%s'. If the bean is meant for some locks only, declare it with"
						+ " @Bean(defaultCandidate = false)")
					.formatted(templates[0], check.address()));
				return check::run;
			}
		}
		return null;
	}

	private static QuorumStoreFactory quorum(@Nullable ClassLoader classLoader) {
		return SpringFactoriesLoader.forDefaultResourceLocation(classLoader)
			.load(QuorumStoreFactory.class)
			.stream()
			.findFirst()
			.orElseThrow(() -> new LockSetupException(
					"'redis-lock.quorum.nodes' is set, but lock-quorum is not on the class path.",
					"Add the dependency 'io.github.redislock:lock-quorum', or remove 'redis-lock.quorum.nodes'.",
					null));
	}

	private static RedisLockStoreOptions options(ConfigurableListableBeanFactory beanFactory) {
		return beanFactory.getBean(RedisLockStoreOptions.class);
	}

	static RedisLockStoreOptions options(RedisLockProperties properties) {
		return RedisLockStoreOptions.defaults()
			.keyPrefix(properties.keyPrefix())
			.commandTimeout(
					properties.quorum().isWanted() ? properties.quorum().nodeTimeout() : properties.commandTimeout())
			.coldStartQuarantine(properties.quarantine())
			.minAcks(properties.replication().minAcks());
	}

}
