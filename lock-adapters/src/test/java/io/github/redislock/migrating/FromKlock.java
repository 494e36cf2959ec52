package io.github.redislock.migrating;

import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.annotation.DistributedLock;

class FromKlock {

	private final Catalogue catalogue;

	FromKlock(Catalogue catalogue) {
		this.catalogue = catalogue;
	}

	@DistributedLock(name = "stock", key = "#sku", waitTime = "10s", fallback = "refuse")
	public String sellOrElse(String sku) {
		return this.catalogue.sell(sku);
	}

	String refuse(String sku, LockNotAcquiredException busy) {
		return "busy: " + sku + ", since " + busy.getMessage();
	}

}
