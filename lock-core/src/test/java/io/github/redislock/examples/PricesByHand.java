package io.github.redislock.examples;

import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.LockTemplate;

/**
 * What docs/guide/shared.md shows, line by line.
 */
class PricesByHand {

	private final LockTemplate locks;

	private final Prices.PriceList list;

	PricesByHand(LockTemplate locks, Prices.PriceList list) {
		this.locks = locks;
		this.list = list;
	}

	Prices.Quote quote(Prices.Basket basket) {
		return this.locks.execute(LockTarget.of("price-list").forReading(), () -> this.list.quote(basket));
	}

	CompletableFuture<Prices.Export> export(String tenant) {
		LockTarget one = LockTarget.of("export", tenant).permits(3);
		return this.locks.async().execute(one, () -> this.list.export(tenant));
	}

	void change(Prices.Rates rates) {
		this.locks.execute(LockTarget.of("price-list"), () -> this.list.change(rates));
	}

}
