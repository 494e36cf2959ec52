package io.github.redislock.migrating;

import java.time.Duration;

import io.github.redislock.LockHandle;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.DistributedLock;

class FromLock4j {

	private final Catalogue catalogue;

	private final LockOperations locks;

	FromLock4j(Catalogue catalogue, LockOperations locks) {
		this.catalogue = catalogue;
		this.locks = locks;
	}

	@DistributedLock(name = "stock", key = "#sku", timeout = "30s", waitTime = "3s")
	public String sell(String sku) {
		return this.catalogue.sell(sku);
	}

	@DistributedLock(name = "stock#{'#' + #sku}", timeout = "30s", waitTime = "3s")
	public String sellUnderTheOldKey(String sku) {
		return this.catalogue.sell(sku);
	}

	@DistributedLock(name = "stock", key = "#sku", waitTime = "3s", fallback = "soldLater")
	public String sellOrElse(String sku) {
		return this.catalogue.sell(sku);
	}

	String soldLater(String sku, LockNotAcquiredException busy) {
		return "later: " + sku + ", since " + busy.getMessage();
	}

	void byHand(String sku) {
		LockOptions options = LockOptions.options().timeout(Duration.ofSeconds(30)).waitTime(Duration.ofSeconds(5));
		try (LockHandle lock = this.locks.acquire(LockTarget.of("stock", sku), options)) {
			this.catalogue.write(sku, lock.fencingToken());
		}
	}

}
