package io.github.redislock.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;

import io.github.redislock.LockTemplate;

import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/**
 * {@link InfoContributor} that tells where locks are kept, and under which name this
 * instance holds them.
 */
final class RedisLockInfoContributor implements InfoContributor {

	private final LockTemplate locks;

	private final RedisLockProperties properties;

	RedisLockInfoContributor(LockTemplate locks, RedisLockProperties properties) {
		this.locks = locks;
		this.properties = properties;
	}

	@Override
	public void contribute(Info.Builder builder) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("instance", this.locks.local().instance());
		details.put("store", store());
		if (this.properties.getStore() == RedisLockProperties.Store.REDIS) {
			details.put("keyPrefix", this.properties.getKeyPrefix());
		}
		String version = LockTemplate.class.getPackage().getImplementationVersion();
		if (version != null) {
			details.put("version", version);
		}
		builder.withDetail("redisLock", details);
	}

	private String store() {
		if (this.properties.getStore() == RedisLockProperties.Store.IN_MEMORY) {
			return "in-memory";
		}
		return this.properties.getQuorum().isWanted()
				? "quorum of %d Redis servers".formatted(this.properties.getQuorum().getNodes().size()) : "redis";
	}

}
