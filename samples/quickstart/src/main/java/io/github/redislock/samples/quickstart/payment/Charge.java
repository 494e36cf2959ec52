package io.github.redislock.samples.quickstart.payment;

import java.math.BigDecimal;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * A payment that was charged for an order.
 */
@Table
record Charge(@Id @Nullable Long id, String orderId, BigDecimal amount, Instant chargedAt) {

	static Charge of(String orderId, BigDecimal amount) {
		return new Charge(null, orderId, amount, Instant.now());
	}

}
