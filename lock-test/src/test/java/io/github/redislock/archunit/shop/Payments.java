package io.github.redislock.archunit.shop;

import io.github.redislock.annotation.DistributedLock;

/**
 * Calls none of its own locked methods.
 */
class Payments {

	@DistributedLock(name = "payment", key = "#order")
	public String pay(String order) {
		return receipt(order);
	}

	private String receipt(String order) {
		return "paid " + order;
	}

}
