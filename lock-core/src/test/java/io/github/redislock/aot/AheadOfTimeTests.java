package io.github.redislock.aot;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockContext;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.EnableDistributedLocks;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.store.LockStore;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application with a generated context uses locks like any other.
 */
@CompileWithForkedClassLoader
class AheadOfTimeTests {

	@Test
	void annotatedMethodsAreLocked() {
		AheadOfTime.start(Application.class, (context) -> {
			Orders orders = context.getBean(Orders.class);
			assertThat(orders.confirm(new Order(new Customer("eve")))).isEqualTo("confirmed under order:eve");
			assertThat(orders.export()).isEqualTo("exported under export");

			LockTemplate elsewhere = new LockTemplate(context.getBean(LockStore.class), LockConfiguration.defaults());
			elsewhere.acquire(LockTarget.of("order:eve"));
			assertThat(orders.confirm(new Order(new Customer("eve")))).isEqualTo("later");
			elsewhere.acquire(LockTarget.of("nightly"));
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(orders::nightly);
			elsewhere.acquire(LockTarget.of("stock:apple"));
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> context.getBean(Stock.class).decrease("apple"));
			elsewhere.close();
		});
	}

	@Test
	void invalidLockedMethodFailsStartup() {
		assertThatException().isThrownBy(() -> AheadOfTime.start(Mistaken.class, (context) -> {
		})).havingRootCause().isInstanceOf(InvalidLockedMethodException.class).withMessageContaining("#typo");
	}

	record Order(Customer customer) {
	}

	record Customer(String name) {
	}

	// Public, because another class loader creates its proxy here.
	public interface Stock {

		@DistributedLock(name = "stock", key = "#product")
		void decrease(String product);

	}

	static class StockInMemory implements Stock {

		@Override
		public void decrease(String product) {
			// Only the lock matters here.
		}

	}

	static class Orders {

		@DistributedLock(name = "order", key = "#order.customer.name", retry = 0, fallback = "later")
		String confirm(Order order) {
			return "confirmed under " + LockContext.current().name();
		}

		String later(Order order) {
			return "later";
		}

		@DistributedLock(name = "nightly", retry = 0)
		void nightly() {
		}

		@DistributedLock(name = "export", permits = "${app.exports:3}")
		String export() {
			return "exported under " + LockContext.current().name();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	@Import({ Orders.class, StockInMemory.class })
	static class Application {

		@Bean
		LockStore store() {
			return new InMemoryLockStore();
		}

		@Bean
		LockTemplate template(LockStore store) {
			return new LockTemplate(store, LockConfiguration.defaults());
		}

	}

	static class Typo {

		@DistributedLock(name = "order", key = "#typo")
		void confirm(String id) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	@Import(Typo.class)
	static class Mistaken {

		@Bean
		LockTemplate template() {
			return new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());
		}

	}

}
