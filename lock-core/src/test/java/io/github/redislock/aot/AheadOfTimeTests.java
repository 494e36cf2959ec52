package io.github.redislock.aot;

import java.util.List;

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

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.FactoryBean;
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

	@Test
	void runtimeHintsForLockedBeansAreRegistered() {
		RuntimeHints hints = AheadOfTime.hints(Application.class);

		assertInvocable(hints, Orders.class, "confirm");
		assertInvocable(hints, Orders.class, "nightly");
		assertInvocable(hints, Orders.class, "later");
		assertInvocable(hints, Order.class, "customer");
		assertInvocable(hints, Order.class, "hashCode");
		assertInvocable(hints, Customer.class, "name");
		assertInvocable(hints, Stock.class, "decrease");
		assertInvocable(hints, Prices.class, "raise");
		assertThat(RuntimeHintsPredicates.reflection().onType(Stock.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(Unlocked.Argument.class)).rejects(hints);
	}

	private static void assertInvocable(RuntimeHints hints, Class<?> type, String method) {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(type, method)).as("%s.%s", type, method)
			.accepts(hints);
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

	// Public, because another class loader creates its proxy here.
	public interface Prices {

		@DistributedLock("prices")
		void raise();

	}

	static class PricesFactory implements FactoryBean<Prices> {

		@Override
		public Prices getObject() {
			return () -> {
			};
		}

		@Override
		public Class<?> getObjectType() {
			return Prices.class;
		}

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

	static class Unlocked {

		void call(Argument argument) {
		}

		record Argument(List<String> texts) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	@Import({ Orders.class, StockInMemory.class, Unlocked.class, PricesFactory.class })
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
