package io.github.redislock.benchmarks.startup;

import io.github.redislock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * A bean with four locked methods. In an application without this project, the
 * annotations have no effect.
 */
@Component
public class Orders {

	@DistributedLock(name = "payment", key = "#order")
	public String pay(long order) {
		return "paid " + order;
	}

	@DistributedLock("shipping")
	public @Nullable String ship(String address) {
		return address;
	}

	@DistributedLock(name = "invoice", key = "#customer", timeout = "10s")
	public void invoice(String customer) {
	}

	@DistributedLock(name = "report", retry = 0)
	public void report() {
	}

}
