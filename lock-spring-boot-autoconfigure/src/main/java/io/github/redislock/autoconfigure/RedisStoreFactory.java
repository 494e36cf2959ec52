package io.github.redislock.autoconfigure;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.github.redislock.LockOperations;
import io.github.redislock.autoconfigure.RedisServerCheck.Finding;
import io.github.redislock.autoconfigure.RedisServerChecks.Servers;
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
	 * Return the Redis that keeps the locks.
	 * @return {@code null} if locks are not kept in Redis
	 */
	static @Nullable Servers servers(RedisLockProperties properties, ConfigurableListableBeanFactory beanFactory) {
		if (properties.store() != RedisLockProperties.Store.REDIS) {
			return null;
		}
		RedisLockStoreOptions options = options(beanFactory);
		Set<String> names = new LinkedHashSet<>();
		String below = ", below '" + options.keyPrefix() + "'";
		if (properties.quorum().isWanted()) {
			QuorumStoreFactory quorum = quorum(beanFactory.getBeanClassLoader());
			// Without user names and passwords.
			String addresses = String.join("\n", properties.quorum().nodes())
				.replaceAll("(?m)^(rediss?://)?.*@", "$1")
				.replace("\n", ", ");
			return new Servers(addresses + ", quorum" + below, names, () -> {
				List<Finding> findings = new ArrayList<>();
				quorum.visit(properties, (name, node) -> {
					List<Finding> found = new RedisServerCheck(node, options, names).run();
					((found != null) ? found : List.<Finding>of()).forEach((finding) -> findings
						.add(new Finding("Node %s: %s".formatted(name, finding.problem()), finding.remedy())));
				});
				return findings;
			});
		}
		String name = ConnectionFactoryChoice.choose(properties.connectionFactory(), beanFactory);
		RedisServerCheck check = new RedisServerCheck(beanFactory.getBean(name, RedisConnectionFactory.class), options,
				names);
		return new Servers(check.address() + below, names, check::run);
	}

	/**
	 * Return the Redis of a template that the application declares, and log which one it
	 * is.
	 * @return {@code null} if that Redis is unknown
	 */
	static @Nullable Servers serversOfOwnTemplate(ConfigurableListableBeanFactory beanFactory) {
		if (!ClassUtils.isPresent(CONNECTION_FACTORY, beanFactory.getBeanClassLoader())) {
			return null;
		}
		String[] templates = beanFactory.getBeanNamesForType(LockOperations.class);
		for (String name : (templates.length == 1) ? beanFactory.getDependenciesForBean(templates[0]) : templates) {
			if (beanFactory.isTypeMatch(name, RedisConnectionFactory.class)) {
				Set<String> names = new LinkedHashSet<>();
				RedisServerCheck check = new RedisServerCheck(beanFactory.getBean(name, RedisConnectionFactory.class),
						RedisLockStoreOptions.defaults(), names);
				logger.info(("Bean '%s' of the application acquires locks instead of the auto-configured template, in"
						+ " Redis at '%s'. If the bean is meant for some locks only, declare it with"
						+ " @Bean(defaultCandidate = false)")
					.formatted(templates[0], check.address()));
				return new Servers(check.address(), names, check::run);
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
