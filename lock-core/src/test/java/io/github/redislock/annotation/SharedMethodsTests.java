package io.github.redislock.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.redislock.InvalidLockNameException;
import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.LockMode;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.engine.LockTemplate;
import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.memory.InMemoryLockStore;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Methods with shared locks.
 */
class SharedMethodsTests {

	private static final LockTarget STOCK = LockTarget.of("stock");

	private static final Map<String, Object> PROPERTIES = Map.of("app.exports", "5");

	@Test
	void lockIsExclusiveByDefault() {
		assertThat(targetOf(Prices::change)).isEqualTo(LockTarget.of("prices"));
		assertThat(targetOf(Prices::alone)).isEqualTo(LockTarget.of("prices"));
		assertThat(targetOf(Prices::unlimited)).isEqualTo(LockTarget.of("prices"));
	}

	@Test
	void readModeTargetsTheLockForReading() {
		assertThat(targetOf(Prices::quote)).isEqualTo(LockTarget.of("prices").forReading());
		assertThat(targetOf((prices) -> prices.quoteOne("a:b"))).isEqualTo(LockTarget.of("prices", "a:b").forReading());
	}

	@Test
	void permitsAreParsedFromTrimmedText() {
		assertThat(targetOf(Prices::three)).isEqualTo(LockTarget.of("prices").permits(3));
		assertThat(targetOf(Prices::four)).isEqualTo(LockTarget.of("prices").permits(4));
		assertThat(targetOf((prices) -> prices.three("7"))).isEqualTo(LockTarget.of("prices", "7").permits(3));
	}

	@Test
	void permitsMayComeFromAProperty() {
		assertThat(targetOf(Prices::configured)).isEqualTo(LockTarget.of("prices").permits(5));
	}

	@Test
	void collectionCannotBeTheKeyOfASharedLock() {
		try (LockedContext context = start()) {
			Prices prices = context.get(Prices.class);

			for (Object several : List.of(List.of("a", "b"), List.of("a"), new int[] { 1 }, Stream.of("a"))) {
				assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> prices.quoteOne(several))
					.withMessageContaining(Prices.class.getName() + ".quoteOne(Object)")
					.withMessageContaining("'#id' in its key is several values, but several locks cannot be shared");
			}
			assertThat(prices.calls()).isZero();
		}
	}

	@Test
	void sharedLockOfATypeCanBeOverriddenByAMethod() {
		try (LockedContext context = start()) {
			Catalogue catalogue = context.get(Catalogue.class);

			catalogue.find();
			catalogue.change();

			assertThat(context.locks().targets).containsExactly(LockTarget.of("catalogue").forReading(),
					LockTarget.of("catalogue"));
		}
	}

	@Test
	void composedAnnotationMayDeclareASharedLock() {
		assertThat(targetOf(Prices::composed)).isEqualTo(LockTarget.of("prices").permits(2));
	}

	@Test
	void invalidPermitsOnATypeAreReportedWithTheType() {
		Throwable failure = catchThrowable(() -> LockedContext.of(WrongLimits.class).close());

		assertThat(failure).hasRootCauseInstanceOf(NumberFormatException.class)
			.cause()
			.isInstanceOf(InvalidLockedMethodException.class)
			.message()
			.contains(WrongLimits.class.getName() + ".export()")
			.contains("its permits 'many' is not a valid number")
			.contains("was declared on '" + WrongLimits.class.getName() + "'");
	}

	@Test
	void readingMethodReentersTheLockOfTheWritingMethodThatCallsIt() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(InMemory.class,
				Stock.class, Report.class)) {
			LockTemplate locks = context.getBean(LockTemplate.class);

			context.getBean(Stock.class).change(() -> {
				LockContext.requireHeld("stock");
				assertThat(locks.inspect(STOCK)).hasValueSatisfying((state) -> assertThat(state.holders()).isOne());
			});

			assertThat(locks.isLocked(STOCK)).isFalse();
		}
	}

	@Test
	void readingMethodThatOutlivesItsWritingMethodExcludesOtherReaders() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(InMemory.class,
				Stock.class, Report.class)) {
			LockTemplate locks = context.getBean(LockTemplate.class);
			CompletableFuture<String> report = new CompletableFuture<>();

			assertThat(context.getBean(Stock.class).changeLater(report)).succeedsWithin(Duration.ofSeconds(20));

			assertThat(locks.tryAcquire(STOCK.forReading(), LockOptions.options().retry(0))).isNull();
			report.complete("read");
			try (LockHandle reader = locks.acquire(STOCK.forReading())) {
				assertThat(reader.isHeld()).isTrue();
			}
			assertThat(locks.isLocked(STOCK)).isFalse();
		}
	}

	private static LockTarget targetOf(Consumer<Prices> call) {
		try (LockedContext context = start()) {
			call.accept(context.get(Prices.class));
			return context.locks().targets.get(0);
		}
	}

	private static LockedContext start() {
		return LockedContext.of(PROPERTIES, (beans) -> beans.register(Prices.class, Catalogue.class));
	}

	static class Prices {

		private int calls;

		int calls() {
			return this.calls;
		}

		@DistributedLock("prices")
		void change() {
		}

		@DistributedLock(name = "prices", mode = LockMode.EXCLUSIVE)
		void alone() {
		}

		@DistributedLock(name = "prices", permits = "${app.none:}")
		void unlimited() {
		}

		@DistributedLock(name = "prices", mode = LockMode.READ)
		void quote() {
		}

		@DistributedLock(name = "prices", key = "#id", mode = LockMode.READ)
		void quoteOne(Object id) {
			this.calls++;
		}

		@DistributedLock(name = "prices", permits = "3")
		void three() {
		}

		@DistributedLock(name = "prices", key = "#id", permits = "3")
		void three(String id) {
		}

		@DistributedLock(name = "prices", permits = " 4 ")
		void four() {
		}

		@DistributedLock(name = "prices", permits = "${app.exports}")
		void configured() {
		}

		@Limited("2")
		void composed() {
		}

	}

	@DistributedLock(name = "catalogue", mode = LockMode.READ)
	static class Catalogue {

		public void find() {
		}

		@DistributedLock("catalogue")
		public void change() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	static class InMemory {

		@Bean
		LockTemplate locks() {
			return new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());
		}

	}

	static class Stock {

		private final Report report;

		Stock(Report report) {
			this.report = report;
		}

		@DistributedLock("stock")
		void change(Runnable read) {
			this.report.read(read);
		}

		@DistributedLock("stock")
		CompletableFuture<Void> changeLater(CompletableFuture<String> report) {
			this.report.readLater(report);
			return CompletableFuture.completedFuture(null);
		}

	}

	static class Report {

		@DistributedLock(name = "stock", mode = LockMode.READ)
		void read(Runnable work) {
			work.run();
		}

		@DistributedLock(name = "stock", mode = LockMode.READ)
		CompletableFuture<String> readLater(CompletableFuture<String> report) {
			return report;
		}

	}

	@DistributedLock(permits = "many")
	static class WrongLimits {

		public void export() {
		}

	}

	@DistributedLock(name = "prices")
	@Retention(RetentionPolicy.RUNTIME)
	@interface Limited {

		@AliasFor(annotation = DistributedLock.class, attribute = "permits")
		String value();

	}

}
