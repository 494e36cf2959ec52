package io.github.redislock.aot;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.EnableDistributedLocks;
import io.github.redislock.annotation.LeaderOnly;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a native image may do by reflection with the beans of an application. Their
 * methods are inherited, because Spring registers those that a proxied class declares.
 */
class LockedBeanHintsTests {

	private final RuntimeHints hints = AheadOfTime.hints(Application.class);

	@Test
	void lockedMethodsAndFallbacksAreInvocable() {
		assertThat(isInvocable(Confirmation.class, "confirm")).isTrue();
		assertThat(isInvocable(Confirmation.class, "later")).isTrue();
		assertThat(isInvocable(Confirmation.class, "export")).isTrue();
		assertThat(isInvocable(Stock.class, "decrease")).isTrue();
		assertThat(isInvocable(StockInMemory.class, "decrease")).isTrue();
		assertThat(isInvocable(Prices.class, "raise")).isTrue();
		assertThat(isInvocable(Rates.class, "change")).isTrue();
		assertThat(isInvocable(Unlocked.class, "unlocked")).isFalse();
	}

	@Test
	void leaderOnlyMethodsAreInvocable() {
		assertThat(isInvocable(Sender.class, "send")).isTrue();
	}

	@Test
	void typesThatAreSearchedForDeclarationsAreRegistered() {
		assertThat(isRegistered(Orders.class)).isTrue();
		assertThat(isRegistered(Unlocked.class)).isTrue();
		assertThat(isRegistered(Readable.class)).isTrue();
		assertThat(isRegistered(Quotable.class)).isTrue();
	}

	@Test
	void onlyArgumentsThatExpressionsMayReadAreReadable() {
		assertThat(isInvocable(Order.class, "customer")).isTrue();
		assertThat(isInvocable(Order.class, "hashCode")).isTrue();
		assertThat(isInvocable(Customer.class, "name")).isTrue();
		assertThat(isInvocable(Product.class, "name")).isTrue();
		assertThat(isRegistered(Range.class)).isFalse();
		assertThat(isRegistered(Unlocked.Argument.class)).isFalse();
	}

	private boolean isInvocable(Class<?> type, String method) {
		return RuntimeHintsPredicates.reflection().onMethodInvocation(type, method).test(this.hints);
	}

	private boolean isRegistered(Class<?> type) {
		return RuntimeHintsPredicates.reflection().onType(type).test(this.hints);
	}

	record Order(Customer customer) {
	}

	record Customer(String name) {
	}

	record Product(String name) {
	}

	record Range(int from, int to) {
	}

	static class Unlocked {

		void unlocked(Argument argument) {
		}

		record Argument(String text) {
		}

	}

	static class Confirmation extends Unlocked {

		@DistributedLock(name = "order", key = "#order.customer.name", fallback = "later")
		String confirm(Order order) {
			return "confirmed";
		}

		String later(Order order) {
			return "later";
		}

		@DistributedLock("export")
		void export(Range range) {
		}

	}

	static class Orders extends Confirmation {

	}

	static class Sender {

		@LeaderOnly("mailer")
		void send() {
		}

	}

	static class Mailer extends Sender {

	}

	interface Stock {

		@DistributedLock("stock:#{#product.name}")
		void decrease(Product product);

	}

	static class StockInMemory implements Stock {

		@Override
		public void decrease(Product product) {
		}

	}

	@FunctionalInterface
	interface Prices {

		@DistributedLock("prices")
		void raise();

	}

	interface Quotable {

	}

	interface Readable extends Quotable {

	}

	static class Rates implements Readable {

		@DistributedLock("rates")
		void change() {
		}

	}

	static class RatesFactory implements FactoryBean<Rates> {

		@Override
		public Rates getObject() {
			return new Rates();
		}

		@Override
		public Class<?> getObjectType() {
			return Rates.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	@Import({ Orders.class, Mailer.class, StockInMemory.class, RatesFactory.class })
	static class Application {

		@Bean
		Prices prices() {
			return () -> {
			};
		}

	}

}
