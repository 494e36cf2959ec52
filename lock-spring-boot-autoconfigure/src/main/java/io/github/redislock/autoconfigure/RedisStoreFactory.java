package io.github.redislock.autoconfigure;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.github.redislock.LockOperations;
import io.github.redislock.autoconfigure.RedisServerCheck.Finding;
import io.github.redislock.autoconfigure.RedisServerChecks.Servers;
import io.github.redislock.internal.client.RedisAddress;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.store.LockStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Creates the store in Redis, and decides which connection factory it uses. This is a
 * separate class, so that applications without Redis do not load Redis classes.
 */
final class RedisStoreFactory {

	private static final Log logger = LogFactory.getLog(RedisStoreFactory.class);

	private static final String CONNECTION_FACTORY = "org.springframework.data.redis.connection.RedisConnectionFactory";

	private static final String NO_REDIS_ACTION = """
			Do one of these:
			- add the dependency 'org.springframework.boot:spring-boot-starter-data-redis', and set \
			'spring.data.redis.host' or 'spring.data.redis.url' unless Redis runs on localhost:6379
			- declare a bean of type RedisConnectionFactory, LockStore or RedisLockTemplate
			- set 'redis-lock.store=in-memory' if only the threads of one process need to exclude one another
			- set 'redis-lock.enabled=false' to run without locks""";

	private RedisStoreFactory() {
	}

	static LockStore create(RedisLockProperties properties, ConfigurableListableBeanFactory beanFactory) {
		ClassLoader classLoader = beanFactory.getBeanClassLoader();
		if (!ClassUtils.isPresent(CONNECTION_FACTORY, classLoader)) {
			throw new LockSetupException("Locks need Redis, but Spring Data Redis is not on the class path.",
					NO_REDIS_ACTION, null);
		}
		RedisLockProperties.Quorum quorum = properties.quorum();
		if (quorum.isWanted()) {
			if (StringUtils.hasText(properties.connectionFactory())) {
				throw new LockSetupException(
						"Both 'redis-lock.quorum.nodes' and 'redis-lock.connection-factory' say where locks are kept.",
						"Remove one of them.", null);
			}
			return QuorumStoreFactory.create(quorum.nodes(), quorum.nodeTimeout(), options(beanFactory), classLoader);
		}
		String name = choose(properties.connectionFactory(), beanFactory);
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
		String below = ", below '" + options.keyPrefix() + "'";
		if (properties.quorum().isWanted()) {
			Set<String> names = new LinkedHashSet<>();
			// Without user names and passwords.
			String addresses = String.join("\n", properties.quorum().nodes())
				.replaceAll("(?m)^(rediss?://)?.*@", "$1")
				.replace("\n", ", ");
			return new Servers(addresses + ", quorum" + below, names, () -> {
				List<Finding> findings = new ArrayList<>();
				QuorumStoreFactory.visit(properties.quorum().nodes(), properties.quorum().nodeTimeout(), (node) -> {
					List<Finding> found = new RedisServerCheck(node, options, names).run();
					((found != null) ? found : List.<Finding>of()).forEach((finding) -> findings.add(new Finding(
							"Node %s: %s".formatted(RedisAddress.of(node), finding.problem()), finding.remedy())));
				});
				return findings;
			});
		}
		String name = choose(properties.connectionFactory(), beanFactory);
		return servers(beanFactory.getBean(name, RedisConnectionFactory.class), options, below);
	}

	private static Servers servers(RedisConnectionFactory redis, RedisLockStoreOptions options, String below) {
		Set<String> names = new LinkedHashSet<>();
		return new Servers(RedisAddress.describe(redis) + below, names,
				() -> new RedisServerCheck(redis, options, names).run());
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
				Servers servers = servers(beanFactory.getBean(name, RedisConnectionFactory.class),
						RedisLockStoreOptions.defaults(), "");
				logger.info(("Bean '%s' of the application acquires locks instead of the auto-configured template, in"
						+ " Redis at '%s'. If the bean is meant for some locks only, declare it with"
						+ " @Bean(defaultCandidate = false)")
					.formatted(templates[0], servers.address()));
				return servers;
			}
		}
		return null;
	}

	/**
	 * Return the name of the connection factory bean.
	 * @param wish the bean name in the configuration, if any
	 * @throws LockSetupException if there is no such bean, or several and none is primary
	 */
	private static String choose(@Nullable String wish, ConfigurableListableBeanFactory beanFactory) {
		List<String> names = List.of(beanFactory.getBeanNamesForType(RedisConnectionFactory.class));
		if (StringUtils.hasText(wish)) {
			return byName(wish, names);
		}
		if (names.isEmpty()) {
			throw new LockSetupException("Locks need Redis, but there is no bean of type RedisConnectionFactory.",
					NO_REDIS_ACTION, null);
		}
		try {
			return beanFactory.resolveNamedBean(RedisConnectionFactory.class).getBeanName();
		}
		catch (NoUniqueBeanDefinitionException ex) {
			throw new LockSetupException(
					"Locks need Redis, but there are several beans of type RedisConnectionFactory: %s."
						.formatted(quoted(names)),
					"""
							Do one of these:
							- set 'redis-lock.connection-factory' to the name of the one that holds the locks
							- mark it with @Primary
							- declare a bean of type LockStore or RedisLockTemplate that uses it""", ex);
		}
	}

	private static String byName(String wish, List<String> names) {
		if (names.contains(wish)) {
			return wish;
		}
		String known = names.isEmpty() ? "There is none at all" : "There is " + quoted(names);
		throw new LockSetupException(
				"'redis-lock.connection-factory' is '%s', but no bean of type RedisConnectionFactory has that name. %s."
					.formatted(wish, known),
				"Correct the name, or remove the property.", new NoSuchBeanDefinitionException(wish));
	}

	private static String quoted(List<String> names) {
		return "'" + String.join("', '", names) + "'";
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
