package com.example.shop;

import java.time.Duration;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.DistributedLock;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Service;

/**
 * The code of the README, in an application with only the starter. Throws an exception if
 * a lock is not held in Redis when it should be.
 */
@SpringBootApplication
public class Shop {

	public static void main(String[] args) {
		try (var context = SpringApplication.run(Shop.class, args)) {
			LockOperations locks = context.getBean(LockOperations.class);
			LockTarget stock = LockTarget.of("stock", 42);

			require(context.getBean(Stock.class).reserve(42), "annotated method");
			require(locks.execute(stock, () -> locks.inspect(stock).isPresent()), "execute");
			require(locks.execute(stock, (lock) -> lock.fencingToken() > 0), "fencing token");
			LockTarget cleanUp = LockTarget.of("clean-up");
			require(locks.tryExecute(cleanUp, () -> require(locks.inspect(cleanUp).isPresent(), "tryExecute")),
					"tryExecute, free");
			LockOptions options = LockOptions.options().timeout(Duration.ofMinutes(1)).waitTime(Duration.ofSeconds(5));
			try (LockHandle lock = locks.acquire(stock, options)) {
				lock.extend(Duration.ofMinutes(1));
				require(lock.verify() && lock.remaining().toSeconds() > 60, "handle");
			}
			require(locks.inspect(stock).isEmpty(), "release");
		}
	}

	private static void require(boolean fulfilled, String what) {
		if (!fulfilled) {
			throw new IllegalStateException("Not as the README says: " + what);
		}
	}

	@Service
	static class Stock {

		private final LockOperations locks;

		Stock(LockOperations locks) {
			this.locks = locks;
		}

		@DistributedLock(name = "stock", key = "#sku", waitTime = "5s")
		public boolean reserve(int sku) {
			return this.locks.inspect(LockTarget.of("stock", sku)).isPresent();
		}

	}

}
