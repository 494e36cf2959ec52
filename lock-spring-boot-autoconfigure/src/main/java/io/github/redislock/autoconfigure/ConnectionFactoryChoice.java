package io.github.redislock.autoconfigure;

import java.util.List;

import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Decides which connection factory locks use.
 */
final class ConnectionFactoryChoice {

	static final String NO_REDIS_ACTION = """
			Do one of these:
			- add the dependency 'org.springframework.boot:spring-boot-starter-data-redis', and set \
			'spring.data.redis.host' or 'spring.data.redis.url' unless Redis runs on localhost:6379
			- declare a bean of type RedisConnectionFactory, LockStore or RedisLockTemplate
			- set 'redis-lock.store=in-memory' if only the threads of one process need to exclude one another
			- set 'redis-lock.enabled=false' to run without locks""";

	private ConnectionFactoryChoice() {
	}

	/**
	 * Return the name of the connection factory bean.
	 * @param wish the bean name in the configuration, if any
	 * @throws LockSetupException if there is no such bean, or several and none is primary
	 */
	static String choose(@Nullable String wish, ConfigurableListableBeanFactory beanFactory) {
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

}
