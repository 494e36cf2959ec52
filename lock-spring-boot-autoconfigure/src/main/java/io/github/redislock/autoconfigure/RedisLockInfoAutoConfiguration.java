package io.github.redislock.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.github.redislock.LockOperations;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the {@link InfoContributor} that
 * shows, under {@code redisLock}, where locks are kept, and under which name this
 * instance holds them.
 */
@AutoConfiguration(after = RedisLockAutoConfiguration.class)
@ConditionalOnClass({ InfoContributor.class, ConditionalOnEnabledInfoContributor.class })
@ConditionalOnSingleCandidate(LockOperations.class)
@ConditionalOnEnabledInfoContributor("redis-lock")
@Import(RedisLockPropertiesConfiguration.class)
public final class RedisLockInfoAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = "redisLockInfoContributor")
	InfoContributor redisLockInfoContributor(LockOperations locks, RedisServerChecks checks,
			ObjectProvider<RedisLockStoreAutoConfiguration> configured) {
		return (info) -> {
			String store = Objects.requireNonNullElse(checks.place(),
					(configured.getIfAvailable() != null) ? "in-memory" : "of the application");
			info.withDetail("redisLock", details(locks.local().instance(), store));
		};
	}

	private static Map<String, String> details(String instance, String store) {
		Map<String, String> details = new LinkedHashMap<>();
		details.put("instance", instance);
		details.put("store", store);
		String version = LockOperations.class.getPackage().getImplementationVersion();
		if (version != null) {
			details.put("version", version);
		}
		return details;
	}

}
