package io.github.redislock.migrating;

import java.time.Duration;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.store.LockStore;

import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

class FromSetIfAbsent {

	private final Catalogue catalogue;

	private final LockOperations locks;

	FromSetIfAbsent(Catalogue catalogue, LockOperations locks) {
		this.catalogue = catalogue;
		this.locks = locks;
	}

	@DistributedLock(name = "stock", key = "#sku", retry = 0)
	public String sell(String sku) {
		return this.catalogue.sell(sku);
	}

	boolean importOnce() {
		return this.locks.tryExecute(LockTarget.of("import"), () -> this.catalogue.importAll());
	}

	void write(String sku) {
		LockOptions patient = LockOptions.options().waitTime(Duration.ofSeconds(5));
		try (LockHandle lock = this.locks.acquire(LockTarget.of("stock", sku), patient)) {
			this.catalogue.write(sku, lock.fencingToken());
		}
	}

	@DistributedLock(name = "sms", key = "#user", retry = 0, atLeastFor = "1m")
	public void sendOnceAMinute(String user) {
		this.catalogue.find(user);
	}

	@Bean(defaultCandidate = false)
	RedisLockTemplate oldLocks(RedisConnectionFactory connectionFactory, RedisLockStoreOptions options,
			LockConfiguration configuration) {
		LockStore store = RedisLockStore.create(connectionFactory, options.keyPrefix("lock:"));
		return new RedisLockTemplate(store, configuration);
	}

	@DistributedLock(name = "stock", key = "#sku", retry = 0, template = "oldLocks")
	public String sellUnderTheOldKey(String sku) {
		return this.catalogue.sell(sku);
	}

}
