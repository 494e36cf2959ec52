package io.github.redislock.annotation;

import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.redislock.InvalidLockNameException;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.LogRecorder;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.expression.EvaluationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LockNameTests {

	private static final String CHECKER = "io.github.redislock.internal.interceptor.check.SharedDefaults";

	@Test
	void defaultNameIsClassAndMethod() {
		assertThat(nameOf(Names::unnamed)).isEqualTo(Names.class.getName() + ".unnamed");
	}

	@Test
	void classWithoutAClassFileDoesNotNameItsLocks() throws Exception {
		byte[] code = Child.class.getResourceAsStream("LockNameTests$Child.class").readAllBytes();
		Class<?> made = new ClassLoader(Child.class.getClassLoader()) {

			Class<?> make() {
				return defineClass(Child.class.getName(), code, 0, code.length);
			}

			@Override
			public @Nullable URL getResource(String name) {
				return null;
			}

		}.make();
		try (LockedContext context = LockedContext.of(made)) {
			context.get(Runnable.class).run();

			assertThat(context.locks().names).containsExactly(Parent.class.getName() + ".run");
		}
	}

	@Test
	void templatesAndPlaceholdersAreResolved() {
		assertThat(nameOf((bean) -> bean.template(7, "eu"))).isEqualTo("test-region:order:7:eu!");
	}

	@ParameterizedTest
	@ValueSource(strings = { "T(java.lang.Runtime).getRuntime().exec('id')", "#{1+1}", "${x}", "${user.home}", "#id",
			"@locks" })
	void argumentsAreNeverEvaluatedAsExpressions(String argument) {
		assertThat(nameOf((bean) -> bean.template(argument))).isEqualTo("order:" + argument);
		assertThat(nameOf((bean) -> bean.keyed(argument))).isEqualTo(Names.class.getName() + ".keyed:" + argument);
	}

	@Test
	void separatorInsideANameIsKept() {
		assertThat(nameOf((bean) -> bean.template("a:b"))).isEqualTo("order:a:b");
	}

	@Test
	void argumentsCanBeReferencedByIndex() {
		assertThat(nameOf((bean) -> bean.numbered("a", "b"))).isEqualTo("numbered:b-a");
	}

	@Test
	void rootObjectDescribesTheInvocation() {
		assertThat(nameOf(Names::rootClass)).isEqualTo("root:" + Names.class.getName());
		assertThat(nameOf((bean) -> bean.root("x"))).isEqualTo("root:root/root/x/me");
	}

	@Test
	void recordComponentsAreReadByPropertyAndByAccessor() {
		Order order = new Order(new Item("i-1"), 42, List.of(new Item("a"), new Item("b")));

		assertThat(nameOf((bean) -> bean.recordProperty(order))).isEqualTo("order:42");
		assertThat(nameOf((bean) -> bean.recordAccessor(order))).isEqualTo("order:42");
		assertThat(nameOf((bean) -> bean.nested(order))).isEqualTo("order:i-1");
		assertThat(nameOf((bean) -> bean.selected(order))).isEqualTo("order:b");
	}

	@Test
	void argumentsInAnExpressionAreConverted() {
		Order order = new Order(new Item("x"), 7, List.of(new Item("a"), new Item("b")));

		assertThat(nameOf((bean) -> bean.converted(order))).isEqualTo("order:b");
	}

	@Test
	void stringMethodsAndTernariesWork() {
		assertThat(nameOf((bean) -> bean.text(" Ab "))).isEqualTo("text:ab/x");
		assertThat(nameOf((bean) -> bean.ternary(true))).isEqualTo("ternary:vip");
		assertThat(nameOf((bean) -> bean.ternary(false))).isEqualTo("ternary:all");
	}

	@Test
	void elementsOfListsAndMapsCanBeKeys() {
		assertThat(nameOf((bean) -> bean.indexed(List.of("a", "b"), Map.of("k", "v")))).isEqualTo("indexed:bv");
	}

	@ParameterizedTest
	@MethodSource("unusable")
	void unusableKeyIsRejectedWithMethodAndExpression(@Nullable Object key, String reason) {
		try (LockedContext context = LockedContext.of(Names.class)) {
			Names bean = context.get(Names.class);

			assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> bean.anything(key))
				.withMessageContaining(Names.class.getName() + ".anything(Object)")
				.withMessageContaining("'#value'")
				.withMessageContaining(reason);
			assertThat(context.locks().names).isEmpty();
			assertThat(bean.calls()).isEmpty();
		}
	}

	static Stream<Object[]> unusable() {
		return Stream.of(new Object[] { null, "is null" },
				new Object[] { List.of("a", "b", " "), "at index 2 is blank" },
				new Object[] { List.of("a", "b\nc"), "control characters" },
				new Object[] { "x".repeat(1100), "at most 1024 bytes" }, new Object[] { consumed(),
						"at index 0 failed: java.lang.IllegalStateException: stream has already been operated" });
	}

	private static Stream<String> consumed() {
		Stream<String> stream = Stream.of("a");
		stream.forEach((element) -> {
		});
		return stream;
	}

	@Test
	void expressionWithSeveralValuesYieldsSeveralLocks() {
		Order order = new Order(new Item("x"), 7, List.of(new Item("b"), new Item("a:c")));

		assertThat(nameOf((bean) -> bean.projected(order))).isEqualTo("stock:a%3Ac + stock:b");
		assertThat(nameOf((bean) -> bean.filtered(order))).isEqualTo("stock:b");
		assertThat(nameOf((bean) -> bean.inlined("q", "p"))).isEqualTo("pair:p + pair:q");
	}

	@Test
	void streamIsConsumedOnceAndClosed() {
		AtomicInteger read = new AtomicInteger();
		AtomicInteger closed = new AtomicInteger();

		nameOf((bean) -> bean
			.anything(Stream.of("a", "b").peek((element) -> read.incrementAndGet()).onClose(closed::incrementAndGet)));

		assertThat(read).hasValue(2);
		assertThat(closed).hasValue(1);
	}

	@Test
	void nullInANameIsRejected() {
		try (LockedContext context = LockedContext.of(Names.class)) {
			Names bean = context.get(Names.class);

			assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> bean.template((String) null))
				.withMessageContaining("for which '#id' yields no valid lock name: is null");
			assertThat(context.locks().names).isEmpty();
		}
	}

	@Test
	void failingExpressionReportsMethodAndCause() {
		try (LockedContext context = LockedContext.of(Names.class)) {
			Names bean = context.get(Names.class);

			assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> bean.recordProperty(null))
				.withMessageContainingAll("recordProperty(Order)", "'#order.id' yields no valid lock name: EL")
				.withCauseInstanceOf(EvaluationException.class);
		}
	}

	@Test
	void expressionIsEvaluatedOncePerCall() {
		Counter counter = new Counter();

		assertThat(nameOf((bean) -> bean.counted(counter))).isEqualTo("counted:1");
	}

	@Test
	void expressionsUseParameterNamesOfTheDeclaringOrTheCalledMethod() {
		try (LockedContext context = LockedContext.of(PaymentService.class)) {
			context.get(Payments.class).pay("7");
			context.get(Payments.class).refund("8");

			assertThat(context.locks().names).containsExactly("payment:7", "payment:8");
		}
	}

	@Test
	void metricNameOfANamedLockContainsItsExpressions() {
		assertThat(targetOf((bean) -> bean.template("7")).metricName()).isEqualTo("order:#{#id}");
	}

	@Test
	void metricNameOfAnUnnamedLockIsTheShortMethodName() {
		try (LockedContext context = LockedContext.of(Overloads.class)) {
			context.get(Overloads.class).pay("7");

			assertThat(context.locks().targets).singleElement().satisfies((target) -> {
				assertThat(target).isEqualTo(LockTarget.of(Overloads.class.getName() + ".pay", "7"));
				assertThat(target.metricName()).isEqualTo("Overloads.pay");
			});
		}
	}

	@Test
	void overloadsSharingADefaultLockAreReportedOnce() {
		try (LogRecorder log = LogRecorder.warningsOf(CHECKER);
				LockedContext context = LockedContext.of(Overloads.class)) {
			assertThat(log.text().lines()).singleElement(InstanceOfAssertFactories.STRING)
				.contains(("Methods 'pay(String)', 'pay(String, int)' share the lock '%s.pay', because none of them"
						+ " declares a name: give each its own 'name', or the same 'name' if they must exclude"
						+ " one another")
					.formatted(Overloads.class.getName()));
		}
	}

	@Test
	void constantKeyIsReported() {
		try (LogRecorder log = LogRecorder.warningsOf(CHECKER);
				LockedContext context = LockedContext.of(FixedKeys.class)) {
			assertThat(log.text().lines()).hasSize(2)
				.anySatisfy((line) -> assertThat(line)
					.contains("Method '" + FixedKeys.class.getName() + ".quoted(String)' has the key ''#orderId'',"
							+ " which names no parameter: write one without quotes"))
				.anySatisfy((line) -> assertThat(line).contains(".fixed(String)' has the key ''eu''"));
		}
	}

	@Test
	void differentPermitCountsForTheSameLockAreReported() {
		try (LogRecorder log = LogRecorder.warningsOf(CHECKER);
				LockedContext context = LockedContext.of(Exports.class, Imports.class)) {
			assertThat(log.text().lines()).singleElement(InstanceOfAssertFactories.STRING)
				.contains(("Methods '%s.run()' and '%s.run()' take permits of lock 'export', but declare"
						+ " different numbers: make them equal")
					.formatted(Exports.class.getName(), Imports.class.getName()));
		}
	}

	@Test
	void lockWithAndWithoutAKeyIsReportedOnce() {
		try (LogRecorder log = LogRecorder.warningsOf(CHECKER);
				LockedContext context = LockedContext.of(Stock.class, StockReport.class)) {
			assertThat(log.text().lines()).singleElement(InstanceOfAssertFactories.STRING)
				.contains(("Methods '%1$s.count()' and '%1$s.reserve(String)' declare the lock 'stock', but only one of"
						+ " them has a key: they do not exclude each other")
					.formatted(Stock.class.getName()));
		}
	}

	private static String nameOf(Consumer<Names> call) {
		return targetOf(call).name();
	}

	private static LockTarget targetOf(Consumer<Names> call) {
		try (LockedContext context = LockedContext.of(Map.of("app.region", "test-region"),
				(beans) -> beans.register(Names.class))) {
			call.accept(context.get(Names.class));
			assertThat(context.locks().targets).hasSize(1);
			return context.locks().targets.get(0);
		}
	}

	record Item(String id) {
	}

	record Order(Item first, int id, List<Item> items) {

		public Item item(int index) {
			return this.items.get(index);
		}

		public Item item(Order other) {
			return other.first();
		}

	}

	static class FixedKeys {

		@DistributedLock(name = "a", key = "'#orderId'")
		void quoted(String orderId) {
		}

		@DistributedLock(name = "b", key = "'eu'")
		void fixed(String orderId) {
		}

		@DistributedLock(name = "c", key = "'eu' + #orderId")
		void right(String orderId) {
		}

	}

	static class Stock {

		@DistributedLock("stock")
		void count() {
		}

		@DistributedLock(name = "stock", key = "#id")
		void reserve(String id) {
		}

	}

	static class StockReport {

		@DistributedLock("stock")
		void count() {
		}

		@DistributedLock(name = "stock", key = "#id")
		void reserve(String id) {
		}

	}

	static class Exports {

		@DistributedLock(name = "export", permits = "3")
		void run() {
		}

		@DistributedLock(name = "exports", key = "#id", permits = "7")
		void run(String id) {
		}

	}

	static class Imports {

		@DistributedLock(name = "export", permits = "5")
		void run() {
		}

		@DistributedLock(name = "exports", key = "#id", permits = "7")
		void run(String id) {
		}

	}

	static class Counter {

		private int count;

		public int next() {
			return ++this.count;
		}

	}

	interface Payments {

		@DistributedLock(name = "payment", key = "#orderId")
		void pay(String orderId);

		@DistributedLock(name = "payment", key = "#id")
		void refund(String orderId);

	}

	static class PaymentService implements Payments {

		@Override
		public void pay(String id) {
		}

		@Override
		public void refund(String id) {
		}

	}

	static class Overloads {

		@DistributedLock(key = "#id")
		public void pay(String id) {
		}

		@DistributedLock(key = "#id")
		public void pay(String id, int amount) {
		}

		@DistributedLock
		public void count() {
		}

		@DistributedLock(name = "refund", key = "#id")
		public void refund(String id) {
		}

		@DistributedLock(name = "refund", key = "#id")
		public void refund(String id, int amount) {
		}

	}

	static class Names {

		private final List<String> calls = new ArrayList<>();

		List<String> calls() {
			return this.calls;
		}

		@DistributedLock
		void unnamed() {
		}

		@DistributedLock(key = "#id")
		void keyed(String id) {
		}

		@DistributedLock("${app.region:nowhere}:order:#{#id}:#{#region}!")
		void template(int id, String region) {
		}

		@DistributedLock("order:#{#id}")
		void template(String id) {
		}

		@DistributedLock(name = "numbered", key = "#p1 + '-' + #a0")
		void numbered(String one, String two) {
		}

		@DistributedLock(name = "root",
				key = "#root.methodName + '/' + #root.method.name + '/' + #root.args[0] + '/'" + " + #root.target.me()")
		void root(String x) {
		}

		@DistributedLock(name = "root", key = "#root.targetClass")
		void rootClass() {
		}

		public String me() {
			return "me";
		}

		@DistributedLock(name = "order", key = "#order.id")
		void recordProperty(Order order) {
		}

		@DistributedLock(name = "order", key = "#order.id()")
		void recordAccessor(Order order) {
		}

		@DistributedLock(name = "order", key = "#order.first.id")
		void nested(Order order) {
		}

		@DistributedLock(name = "order", key = "#order.items.^[id != 'a'].id")
		void selected(Order order) {
		}

		@DistributedLock(name = "order", key = "#order.item('1').id")
		void converted(Order order) {
		}

		@DistributedLock(name = "text", key = "#text.trim().toLowerCase().concat('/x')")
		void text(String text) {
		}

		@DistributedLock("ternary:#{#vip ? 'vip' : 'all'}")
		void ternary(boolean vip) {
		}

		@DistributedLock(name = "indexed", key = "#list[1] + #map['k']")
		void indexed(List<String> list, Map<String, String> map) {
		}

		@DistributedLock(name = "anything", key = "#value")
		void anything(@Nullable Object value) {
			this.calls.add("anything");
		}

		@DistributedLock(name = "stock", key = "#order.items.![id]")
		void projected(Order order) {
		}

		@DistributedLock(name = "stock", key = "#order.items.![id].?[length() == 1]")
		void filtered(Order order) {
		}

		@DistributedLock(name = "pair", key = "{#from, #to}")
		void inlined(String from, String to) {
		}

		@DistributedLock(name = "counted", key = "#counter.next()")
		void counted(Counter counter) {
		}

	}

	public static class Parent implements Runnable {

		@Override
		@DistributedLock
		public void run() {
		}

	}

	public static class Child extends Parent {

	}

}
