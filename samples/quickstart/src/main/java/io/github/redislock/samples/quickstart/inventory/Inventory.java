package io.github.redislock.samples.quickstart.inventory;

import java.util.Optional;

import io.github.redislock.annotation.DistributedLock;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Keeps the stock correct even though each change consists of a read and a write.
 */
@Service
class Inventory {

	private final StockRepository stocks;

	Inventory(StockRepository stocks) {
		this.stocks = stocks;
	}

	/**
	 * Remove some pieces of a product from the stock.
	 * <p>
	 * The lock surrounds the transaction, so the next caller reads what this caller has
	 * committed.
	 */
	@DistributedLock(name = "stock", key = "#product", waitTime = "${quickstart.stock.wait-time}")
	@Transactional
	public Stock decrease(String product, int quantity) {
		Stock stock = this.stocks.findByProduct(product).orElseGet(() -> new Stock(null, product, 0));
		if (stock.quantity() < quantity) {
			throw new SoldOutException(product, quantity, stock.quantity());
		}
		return this.stocks.save(stock.withQuantity(stock.quantity() - quantity));
	}

	/**
	 * Set the stock. This method uses the same lock as the other one, because the name
	 * and the key are the same.
	 * <p>
	 * This method waits for at most 5 × 200 ms. By default, customers' orders wait
	 * longer.
	 */
	@DistributedLock(name = "stock", key = "#product", retry = 5, retryDelay = "200ms")
	@Transactional
	public Stock set(String product, int quantity) {
		Stock stock = this.stocks.findByProduct(product).orElseGet(() -> new Stock(null, product, 0));
		return this.stocks.save(stock.withQuantity(quantity));
	}

	Optional<Stock> stock(String product) {
		return this.stocks.findByProduct(product);
	}

}
