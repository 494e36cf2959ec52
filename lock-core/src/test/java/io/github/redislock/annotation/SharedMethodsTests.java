package io.github.redislock.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.redislock.LockTarget;
import io.github.redislock.interceptor.declaration.InvalidLockNameException;
import io.github.redislock.interceptor.declaration.InvalidLockedMethodException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * What is locked by methods that share their lock.
 */
class SharedMethodsTests {

	private static final Map<String, Object> PROPERTIES = Map.of("app.exports", "5");

	@Test
	void lockIsHadAloneWhereNothingElseIsDeclared() {
		assertThat(targetOf(Prices::change)).isEqualTo(LockTarget.of("prices"));
		assertThat(targetOf(Prices::alone)).isEqualTo(LockTarget.of("prices"));
		assertThat(targetOf(Prices::unlimited)).isEqualTo(LockTarget.of("prices"));
	}

	@Test
	void readersShareTheLock() {
		assertThat(targetOf(Prices::quote)).isEqualTo(LockTarget.of("prices").forReading());
		assertThat(targetOf((prices) -> prices.quoteOne("a:b"))).isEqualTo(LockTarget.of("prices", "a:b").forReading());
	}

	@Test
	void permitsMayBeANumberOrText() {
		assertThat(targetOf(Prices::three)).isEqualTo(LockTarget.of("prices").permits(3));
		assertThat(targetOf(Prices::four)).isEqualTo(LockTarget.of("prices").permits(4));
		assertThat(targetOf((prices) -> prices.three("7"))).isEqualTo(LockTarget.of("prices", "7").permits(3));
	}

	@Test
	void permitsMayComeFromAProperty() {
		assertThat(targetOf(Prices::configured)).isEqualTo(LockTarget.of("prices").permits(5));
		assertThat(targetOf(Prices::computed)).isEqualTo(LockTarget.of("prices").permits(10));
	}

	@Test
	void anotherNumberOfABeanCountsFromTheNextCallOn() {
		try (LockedContext context = start()) {
			Prices prices = context.get(Prices.class);
			Limits limits = context.get(Limits.class);

			prices.limited();
			limits.setExports(2);
			prices.limited();
			limits.setExports(7);
			prices.limited();

			assertThat(context.locks().targets).containsExactly(LockTarget.of("prices").permits(6),
					LockTarget.of("prices").permits(2), LockTarget.of("prices").permits(7));
		}
	}

	@Test
	void permitsMayComeFromTheCall() {
		assertThat(targetOf((prices) -> prices.byPlan("a", new Plan(8))))
			.isEqualTo(LockTarget.of("prices", "a").permits(8));
		assertThat(targetOf((prices) -> prices.byNumber("9"))).isEqualTo(LockTarget.of("prices").permits(9));
		assertThat(targetOf((prices) -> prices.byNumber(10L))).isEqualTo(LockTarget.of("prices").permits(10));
		assertThat(targetOf((prices) -> prices.byNumber(new AtomicInteger(11))))
			.isEqualTo(LockTarget.of("prices").permits(11));
	}

	@ParameterizedTest
	@MethodSource("noNumbers")
	void callWithoutAUsableNumberDoesNotRun(@Nullable Object number, String reason) {
		try (LockedContext context = start()) {
			Prices prices = context.get(Prices.class);

			assertThatIllegalStateException().isThrownBy(() -> prices.byNumber(number))
				.withMessageContaining(Prices.class.getName() + ".byNumber(Object)")
				.withMessageContaining("'#{#number}' in its permitsString " + reason)
				.withMessageEndingWith("must be a number of at least 1");
			assertThat(context.locks().names).isEmpty();
			assertThat(prices.calls()).isZero();
		}
	}

	static Stream<Object[]> noNumbers() {
		return Stream.of(new Object[] { 0, "is 0, which admits nobody" },
				new Object[] { -1L, "is -1, which admits nobody" }, new Object[] { null, "is no number but null" },
				new Object[] { "x", "is no number but a java.lang.String" },
				new Object[] { 2.5, "is no number but a java.lang.Double" },
				new Object[] { Long.MAX_VALUE, "is no number but a java.lang.Long" },
				new Object[] { List.of(1), "is no number but a " });
	}

	@Test
	void callWhosePermitsFailDoesNotRun() {
		try (LockedContext context = start()) {
			Prices prices = context.get(Prices.class);

			assertThatIllegalStateException().isThrownBy(() -> prices.byPlan("a", null))
				.withMessageContaining("'#{#plan.exports}' in its permitsString failed: EL1007E");
			assertThat(prices.calls()).isZero();
		}
	}

	@Test
	void severalLocksAreNotShared() {
		try (LockedContext context = start()) {
			Prices prices = context.get(Prices.class);

			for (Object several : List.of(List.of("a", "b"), List.of("a"), new int[] { 1 }, Stream.of("a"))) {
				assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> prices.quoteOne(several))
					.withMessageContaining(Prices.class.getName() + ".quoteOne(Object)")
					.withMessageContaining("'#id' in its key is several values, but several locks cannot be shared")
					.withMessageContaining("Let 'key' be one value");
			}
			assertThat(prices.calls()).isZero();
		}
	}

	@Test
	void lockOfATypeIsSharedUnlessTheMethodSaysOtherwise() {
		try (LockedContext context = start()) {
			Catalogue catalogue = context.get(Catalogue.class);

			catalogue.find();
			catalogue.change();

			assertThat(context.locks().targets).containsExactly(LockTarget.of("catalogue").forReading(),
					LockTarget.of("catalogue"));
		}
	}

	@Test
	void sharedLockMayBeComposed() {
		assertThat(targetOf(Prices::composed)).isEqualTo(LockTarget.of("prices").permits(2));
	}

	@Test
	void beansThatAreNotThereYetAreNotMadeToSeeTheirNumber() {
		AtomicInteger made = new AtomicInteger();
		try (LockedContext context = LockedContext.of(Map.of(), (beans) -> {
			beans.registerBean("limits", Limits.class, () -> new Limits(made.incrementAndGet()),
					(definition) -> definition.setLazyInit(true));
			beans.register(Exports.class);
		})) {
			assertThat(made).hasValue(0);

			context.get(Exports.class).export();

			assertThat(context.locks().targets)
				.containsExactly(LockTarget.of(Exports.class.getName() + ".export").permits(1));
		}
	}

	@Test
	void beanMayLimitItself() {
		try (LockedContext context = LockedContext.of(Map.of(),
				(beans) -> beans.registerBean("limits", SelfLimited.class))) {
			context.get(SelfLimited.class).export();

			assertThat(context.locks().targets)
				.containsExactly(LockTarget.of(SelfLimited.class.getName() + ".export").permits(1));
		}
	}

	@Test
	void numberThatIsTooSmallAtStartMayGrow() {
		try (LockedContext context = LockedContext.of(Map.of(), (beans) -> {
			beans.registerBean("limits", Limits.class, () -> new Limits(0));
			beans.register(Exports.class);
		})) {
			Exports exports = context.get(Exports.class);
			assertThatIllegalStateException().isThrownBy(exports::export);

			context.get(Limits.class).setExports(1);

			exports.export();
		}
	}

	@Test
	void failureOfATypesPermitsNamesTheType() {
		InvalidLockedMethodException failure = catchThrowableOfType(InvalidLockedMethodException.class,
				() -> LockedContext.of(WrongLimits.class).close());

		assertThat(failure.getDescription()).contains(WrongLimits.class.getName() + ".export()")
			.contains("its permitsString '#{@locks.none}' failed")
			.contains("was declared on '" + WrongLimits.class.getName() + "'");
	}

	private static LockTarget targetOf(Consumer<Prices> call) {
		try (LockedContext context = start()) {
			call.accept(context.get(Prices.class));
			return context.locks().targets.get(0);
		}
	}

	private static LockedContext start() {
		return LockedContext.of(PROPERTIES, (beans) -> {
			beans.registerBean("limits", Limits.class);
			beans.register(Prices.class, Catalogue.class);
		});
	}

	static class Prices {

		private int calls;

		int calls() {
			return this.calls;
		}

		@DistributedLock("prices")
		void change() {
		}

		@DistributedLock(name = "prices", mode = LockMode.WRITE)
		void alone() {
		}

		@DistributedLock(name = "prices", permitsString = "${app.none:}")
		void unlimited() {
		}

		@DistributedLock(name = "prices", mode = LockMode.READ)
		void quote() {
		}

		@DistributedLock(name = "prices", key = "#id", mode = LockMode.READ)
		void quoteOne(Object id) {
			this.calls++;
		}

		@DistributedLock(name = "prices", permits = 3)
		void three() {
		}

		@DistributedLock(name = "prices", key = "#id", permits = 3)
		void three(String id) {
		}

		@DistributedLock(name = "prices", permitsString = " 4 ")
		void four() {
		}

		@DistributedLock(name = "prices", permitsString = "${app.exports}")
		void configured() {
		}

		@DistributedLock(name = "prices", permitsString = "#{${app.exports} * 2}")
		void computed() {
		}

		@DistributedLock(name = "prices", permitsString = "#{@limits.exports}")
		void limited() {
		}

		@DistributedLock(name = "prices", key = "#tenant", permitsString = "#{#plan.exports}")
		void byPlan(String tenant, @Nullable Plan plan) {
			this.calls++;
		}

		@DistributedLock(name = "prices", permitsString = "#{#number}")
		void byNumber(@Nullable Object number) {
			this.calls++;
		}

		@Limited("2")
		void composed() {
		}

	}

	record Plan(int exports) {
	}

	static class Limits {

		private volatile int exports;

		Limits() {
			this(6);
		}

		Limits(int exports) {
			this.exports = exports;
		}

		public int getExports() {
			return this.exports;
		}

		void setExports(int exports) {
			this.exports = exports;
		}

	}

	static class Exports {

		@DistributedLock(permitsString = "#{@limits.exports}")
		void export() {
		}

	}

	static class SelfLimited {

		public int size() {
			return 1;
		}

		@DistributedLock(permitsString = "#{@limits.size()}")
		void export() {
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

	@DistributedLock(permitsString = "#{@locks.none}")
	static class WrongLimits {

		public void export() {
		}

	}

	@DistributedLock(name = "prices")
	@Retention(RetentionPolicy.RUNTIME)
	@interface Limited {

		@AliasFor(annotation = DistributedLock.class, attribute = "permitsString")
		String value();

	}

}
