package io.github.redislock.examples;

import java.util.concurrent.CompletableFuture;

import io.github.redislock.annotation.DistributedLock;

import static io.github.redislock.LockMode.READ;

/**
 * What docs/guide/shared.md shows, line by line.
 */
class Prices {

	private final PriceList list;

	Prices(PriceList list) {
		this.list = list;
	}

	@DistributedLock(name = "price-list", mode = READ)
	Quote quote(Basket basket) {
		return this.list.quote(basket);
	}

	@DistributedLock("price-list")
	void change(Rates rates) {
		this.list.change(rates);
	}

	@DistributedLock(name = "export", key = "#tenant", permits = "3", waitTime = "1m")
	CompletableFuture<Export> export(String tenant) {
		return this.list.export(tenant);
	}

	@DistributedLock(name = "partner", permits = "${partner.calls:10}", atLeastFor = "1s", waitTime = "5s")
	Quote ask(Basket basket) {
		return this.list.askPartner(basket);
	}

	/**
	 * The prices.
	 */
	interface PriceList {

		Quote quote(Basket basket);

		Quote askPartner(Basket basket);

		void change(Rates rates);

		CompletableFuture<Export> export(String tenant);

	}

	record Basket() {
	}

	record Quote() {
	}

	record Rates() {
	}

	record Export() {
	}

}
