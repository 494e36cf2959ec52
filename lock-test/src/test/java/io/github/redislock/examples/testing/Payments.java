package io.github.redislock.examples.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.annotation.DistributedLock;

import org.springframework.stereotype.Service;

@Service
class Payments {

	private final PaymentProvider provider;

	private final List<String> receipts = new CopyOnWriteArrayList<>();

	Payments(PaymentProvider provider) {
		this.provider = provider;
	}

	@DistributedLock(name = "payment", key = "#orderId", retry = 0)
	public void pay(String orderId) {
		this.provider.charge(orderId);
		this.receipts.add(orderId);
	}

	public List<String> receipts() {
		return this.receipts;
	}

	interface PaymentProvider {

		void charge(String orderId);

	}

}
