package io.github.redislock.migrating;

import java.time.Duration;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import io.github.redislock.LockHandle;
import io.github.redislock.LockMode;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.concurrent.ReadWriteLockView;

import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class FromRedisson {

	private final Catalogue catalogue;

	private final LockOperations locks;

	FromRedisson(Catalogue catalogue, LockOperations locks) {
		this.catalogue = catalogue;
		this.locks = locks;
	}

	String sell(String sku) {
		LockOptions patient = LockOptions.options().waitTime(Duration.ofSeconds(5));
		return this.locks.execute(LockTarget.of("stock", sku), patient, () -> this.catalogue.sell(sku));
	}

	@DistributedLock(name = "stock", key = "#sku", waitTime = "5s")
	public String sellAnnotated(String sku) {
		return this.catalogue.sell(sku);
	}

	@DistributedLock(name = "catalogue", mode = LockMode.READ)
	public String find(String sku) {
		return this.catalogue.find(sku);
	}

	@DistributedLock("catalogue")
	public void replace(String sku) {
		this.catalogue.sell(sku);
	}

	String findByHand(String sku) {
		ReadWriteLock lock = new ReadWriteLockView(this.locks, "catalogue");
		lock.readLock().lock();
		try {
			return this.catalogue.find(sku);
		}
		finally {
			lock.readLock().unlock();
		}
	}

	String exportByHand(String sku) {
		LockOptions patient = LockOptions.options().waitTime(Duration.ofSeconds(5));
		return this.locks.execute(LockTarget.of("export").permits(3), patient, () -> this.catalogue.sell(sku));
	}

	@DistributedLock(name = "export", permits = "3", waitTime = "5s")
	public String export(String sku) {
		return this.catalogue.sell(sku);
	}

	boolean sellForTenSeconds(String sku) {
		LockOptions options = LockOptions.options()
			.timeout(Duration.ofSeconds(10))
			.autoRenew(false)
			.waitTime(Duration.ofSeconds(5));
		try (LockHandle lock = this.locks.tryAcquire(LockTarget.of("stock", sku), options)) {
			if (lock == null) {
				return false;
			}
			this.catalogue.write(sku, lock.fencingToken());
			return true;
		}
	}

	@Bean(defaultCandidate = false)
	LettuceConnectionFactory lockRedis() {
		return new LettuceConnectionFactory("redis.example.org", 6379);
	}

	String sellUnderBoth(Lock old, String sku) {
		old.lock();
		try {
			return this.locks.execute(LockTarget.of("stock", sku), () -> this.catalogue.sell(sku));
		}
		finally {
			old.unlock();
		}
	}

}
