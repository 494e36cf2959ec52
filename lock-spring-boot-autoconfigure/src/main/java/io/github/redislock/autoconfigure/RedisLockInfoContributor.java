package io.github.redislock.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;

import io.github.redislock.LockOperations;
import io.github.redislock.engine.LockTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/**
 * {@link InfoContributor} that shows where locks are kept, and under which name this
 * instance holds them.
 */
final class RedisLockInfoContributor implements InfoContributor {

	private final LockOperations locks;

	private final @Nullable RedisLockProperties properties;

	/**
	 * Create a contributor.
	 * @param properties the properties of the store, or {@code null} if the application
	 * declares the store
	 */
	RedisLockInfoContributor(LockOperations locks, @Nullable RedisLockProperties properties) {
		this.locks = locks;
		this.properties = properties;
	}

	@Override
	public void contribute(Info.Builder builder) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("instance", this.locks.local().instance());
		RedisLockProperties properties = this.properties;
		details.put("store", (properties != null) ? store(properties) : "of the application");
		if (properties != null && properties.store() == RedisLockProperties.Store.REDIS) {
			details.put("keyPrefix", properties.keyPrefix());
		}
		String version = LockTemplate.class.getPackage().getImplementationVersion();
		if (version != null) {
			details.put("version", version);
		}
		builder.withDetail("redisLock", details);
	}

	private static String store(RedisLockProperties properties) {
		if (properties.store() == RedisLockProperties.Store.IN_MEMORY) {
			return "in-memory";
		}
		return properties.quorum().isWanted()
				? "quorum of %s Redis servers".formatted(properties.quorum().nodes().size()) : "redis";
	}

}
