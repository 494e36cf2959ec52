package io.github.redislock.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

import io.github.redislock.LockOperations;
import io.github.redislock.engine.LockTemplate;

import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/**
 * {@link InfoContributor} that shows where locks are kept, and under which name this
 * instance holds them.
 */
final class RedisLockInfoContributor implements InfoContributor {

	private final LockOperations locks;

	private final Supplier<String> store;

	/**
	 * Create a contributor.
	 * @param store supplies where locks are kept
	 */
	RedisLockInfoContributor(LockOperations locks, Supplier<String> store) {
		this.locks = locks;
		this.store = store;
	}

	@Override
	public void contribute(Info.Builder builder) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("instance", this.locks.local().instance());
		details.put("store", this.store.get());
		String version = LockTemplate.class.getPackage().getImplementationVersion();
		if (version != null) {
			details.put("version", version);
		}
		builder.withDetail("redisLock", details);
	}

}
