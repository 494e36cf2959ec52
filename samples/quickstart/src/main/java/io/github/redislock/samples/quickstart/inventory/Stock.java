package io.github.redislock.samples.quickstart.inventory;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * The quantity of a product in stock.
 */
@Table
record Stock(@Id @Nullable Long id, String product, int quantity) {

	Stock withQuantity(int quantity) {
		return new Stock(this.id, this.product, quantity);
	}

}
