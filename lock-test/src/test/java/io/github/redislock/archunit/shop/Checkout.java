package io.github.redislock.archunit.shop;

import java.util.List;

import io.github.redislock.annotation.DistributedLock;

/**
 * Locked as a whole, by one lock, so that its methods may call one another.
 */
@DistributedLock(name = "checkout")
class Checkout {

	private final Payments payments;

	Checkout(Payments payments) {
		this.payments = payments;
	}

	public List<String> checkOut(List<String> orders) {
		return orders.stream().map(this.payments::pay).toList();
	}

	public List<String> checkOutOne(String order) {
		return checkOut(List.of(order));
	}

}
