package io.github.redislock.samples.quickstart.payment;

import java.math.BigDecimal;
import java.util.List;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.samples.quickstart.SimulatedWork;

import org.springframework.stereotype.Service;

/**
 * Charges each order once.
 */
@Service
class Payments {

	private static final BigDecimal PRICE = new BigDecimal("49.90");

	private final ChargeRepository charges;

	private final SimulatedWork paymentProvider;

	Payments(ChargeRepository charges, SimulatedWork paymentProvider) {
		this.charges = charges;
		this.paymentProvider = paymentProvider;
	}

	// retry = 0, because a second click should be refused at once instead of waiting for
	// the first one.
	@DistributedLock(name = "payment", key = "#orderId", retry = 0)
	public Charge pay(String orderId) {
		List<Charge> earlier = this.charges.findByOrderId(orderId);
		if (!earlier.isEmpty()) {
			throw new OrderAlreadyPaidException(earlier.get(0));
		}
		this.paymentProvider.run();
		return this.charges.save(Charge.of(orderId, PRICE));
	}

	List<Charge> charges(String orderId) {
		return this.charges.findByOrderId(orderId);
	}

}
