package io.github.redislock.migrating;

import io.github.redislock.annotation.DistributedLock;

class FromLock4j {

	private final Catalogue catalogue;

	FromLock4j(Catalogue catalogue) {
		this.catalogue = catalogue;
	}

	@DistributedLock(name = "stock", key = "#sku", timeout = "30s", waitTime = "3s")
	public String sell(String sku) {
		return this.catalogue.sell(sku);
	}

	@DistributedLock(name = "stock#{'#' + #sku}", timeout = "30s", waitTime = "3s")
	public String sellUnderTheOldKey(String sku) {
		return this.catalogue.sell(sku);
	}

}
