package io.github.redislock.migrating;

import java.util.concurrent.locks.Lock;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.concurrent.LockView;

class FromHazelcast {

	private final Catalogue catalogue;

	private final LockOperations locks;

	FromHazelcast(Catalogue catalogue, LockOperations locks) {
		this.catalogue = catalogue;
		this.locks = locks;
	}

	void write(String sku) {
		LockOptions patient = LockOptions.options().waitForever();
		try (LockHandle lock = this.locks.acquire(LockTarget.of("stock", sku), patient)) {
			this.catalogue.write(sku, lock.fencingToken());
		}
	}

	@DistributedLock(name = "stock", key = "#sku", waitTime = "5s")
	public String sell(String sku) {
		return this.catalogue.sell(sku);
	}

	Lock view(String sku) {
		Lock lock = new LockView(this.locks, LockTarget.of("stock", sku));
		return lock;
	}

}
