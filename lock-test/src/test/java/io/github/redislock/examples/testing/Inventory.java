package io.github.redislock.examples.testing;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.redislock.LockOperations;
import io.github.redislock.LockTarget;

class Inventory {

	private final LockOperations locks;

	private final Map<String, Integer> stock = new ConcurrentHashMap<>(Map.of("apple", 10));

	Inventory(LockOperations locks) {
		this.locks = locks;
	}

	int take(String article) {
		return this.locks.execute(LockTarget.of("inventory", article),
				() -> this.stock.merge(article, -1, Integer::sum));
	}

	void receive(String article, Runnable delivery) {
		this.locks.execute(LockTarget.of("inventory", article), () -> {
			delivery.run();
			this.stock.merge(article, 1, Integer::sum);
		});
	}

	int stock(String article) {
		return this.stock.getOrDefault(article, 0);
	}

}
