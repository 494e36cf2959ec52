package io.github.redislock.migrating;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.concurrent.LockView;
import io.github.redislock.integration.DistributedLockRegistry;
import io.github.redislock.leadership.LockLeadership;
import io.github.redislock.redis.RedisLockTemplate;

import org.springframework.context.annotation.Bean;

class FromSpringIntegration {

	private final Catalogue catalogue;

	private final LockOperations locks;

	FromSpringIntegration(Catalogue catalogue, LockOperations locks) {
		this.catalogue = catalogue;
		this.locks = locks;
	}

	@Bean
	DistributedLockRegistry lockRegistry(RedisLockTemplate locks) {
		return new DistributedLockRegistry(locks, "stock", LockOptions.options().timeout(Duration.ofMinutes(1)));
	}

	@Bean
	LockLeadership mailerLeadership(LockOperations locks) {
		return new LockLeadership("mailer", locks);
	}

	String sell(String sku) {
		Lock lock = new LockView(this.locks, LockTarget.of("stock", sku));
		lock.lock();
		try {
			return this.catalogue.sell(sku);
		}
		finally {
			lock.unlock();
		}
	}

	void sellWithToken(String sku) {
		LockView lock = new LockView(this.locks, LockTarget.of("stock", sku));
		lock.lock();
		try {
			lock.handle().onLost(Thread.currentThread()::interrupt);
			this.catalogue.write(sku, lock.handle().fencingToken());
		}
		finally {
			lock.unlock();
		}
	}

	String sellInTheEnd(String sku) {
		LockOptions patient = LockOptions.options().waitTime(Duration.ofSeconds(5));
		return this.locks.execute(LockTarget.of("stock", sku), patient, () -> this.catalogue.sell(sku));
	}

	void sellByHandle(String sku) {
		try (LockHandle lock = this.locks.acquire(LockTarget.of("stock", sku))) {
			this.catalogue.write(sku, lock.fencingToken());
		}
	}

}
