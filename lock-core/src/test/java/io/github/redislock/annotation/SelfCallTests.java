package io.github.redislock.annotation;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.redislock.testing.LogRecorder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.AopContext;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls of locked methods through {@code this} are found in the byte code at startup.
 */
class SelfCallTests {

	private static final String READER = "io.github.redislock.interceptor.check.SelfCalls";

	@Test
	void selfCallIsReportedWithMethodAndLine() {
		String warnings = warningsAtStartOf(Direct.class);

		assertThat(warnings).containsPattern(
				"Method '\\S+SelfCallTests\\$Direct\\.pay\\(String\\)' runs without its lock where it is called at"
						+ " \\S+SelfCallTests\\$Direct\\.order\\(SelfCallTests\\.java:\\d+\\): a call through 'this'"
						+ " bypasses the proxy\\.");
		assertThat(warnings.lines()).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(classes = { Ternary.class, WideArguments.class, InLambda.class, ByReference.class, InInnerClass.class,
			InAnonymousClass.class, InConstructor.class, Inheriting.class, Generic.class, WholeClass.class,
			ThroughInterface.class, OfSuperclass.class, InTryBlock.class, InSwitch.class, ByVariable.class,
			OtherKey.class, FromDefaultMethod.class })
	void selfCallIsReported(Class<?> bean) {
		assertThat(warningsAtStartOf(bean).lines()).hasSize(1)
			.allMatch((warning) -> warning.contains("runs without its lock where it is called at"));
	}

	@ParameterizedTest
	@ValueSource(classes = { Injected.class, Provided.class, CurrentProxy.class, OtherObject.class, Overriding.class,
			SameLock.class, WholeClassWithName.class, Overloads.class, SuperOfUnlocked.class, UnboundReference.class,
			BoundToOther.class })
	void lockedCallsAndCallsOnOtherInstancesAreNotReported(Class<?> bean) {
		assertThat(warningsAtStartOf(bean)).isEmpty();
	}

	private static String warningsAtStartOf(Class<?> bean) {
		try (LogRecorder log = LogRecorder.warningsOf(READER); LockedContext context = LockedContext.of(bean)) {
			return log.text();
		}
	}

	static class Direct {

		public void order(String id) {
			pay(id);
		}

		@DistributedLock(key = "#id")
		public String pay(String id) {
			return id;
		}

	}

	static class Ternary extends Payments {

		public void order(String id) {
			pay((id != null) ? id.trim() : Optional.ofNullable(id).orElse("none"));
		}

	}

	static class WideArguments {

		public long order(long amount, double rate) {
			long[] all = { amount, 2L };
			all[0] += (long) (rate * 2.0) + (amount << 2);
			return pay(all[0], rate, (amount > 3L) ? 1 : 2) + all[1]++;
		}

		@DistributedLock
		public long pay(long amount, double rate, int number) {
			return amount;
		}

	}

	static class InLambda extends Payments {

		public Supplier<String> order(String id) {
			return () -> pay(id);
		}

	}

	static class ByReference extends Payments {

		public void order(List<String> ids) {
			ids.forEach(this::pay);
		}

	}

	static class InInnerClass extends Payments {

		class Order {

			void place(String id) {
				pay(id);
			}

		}

	}

	static class InAnonymousClass extends Payments {

		public Callable<String> order(String id) {
			return new Callable<>() {

				@Override
				public String call() {
					return pay(id);
				}

			};
		}

	}

	static class InConstructor extends Payments {

		InConstructor() {
			pay("first");
		}

	}

	abstract static class Caller {

		public void order(String id) {
			pay(id);
		}

		public abstract String pay(String id);

	}

	static class Inheriting extends Caller {

		@Override
		@DistributedLock(key = "#id")
		public String pay(String id) {
			return id;
		}

	}

	abstract static class GenericCaller<T> {

		public void order(T id) {
			pay(id);
		}

		public abstract void pay(T id);

	}

	static class Generic extends GenericCaller<String> {

		@Override
		@DistributedLock(key = "#id")
		public void pay(String id) {
			// Short.
		}

	}

	@DistributedLock
	static class WholeClass {

		public void order(String id) {
			pay(id);
		}

		public void pay(String id) {
			// Short.
		}

	}

	interface Payer {

		@DistributedLock
		void pay();

	}

	static class ThroughInterface implements Payer {

		public void order() {
			((Payer) this).pay();
		}

		@Override
		public void pay() {
			// Short.
		}

	}

	static class OfSuperclass extends Payments {

		@Override
		public String pay(String id) {
			return id;
		}

		public void order(String id) {
			super.pay(id);
		}

	}

	static class InTryBlock extends Payments {

		public String order(String id) {
			String prefix = id;
			try {
				prefix = String.valueOf(Integer.parseInt(id));
			}
			catch (NumberFormatException ex) {
				prefix = ex.getMessage();
			}
			finally {
				prefix += id.length();
			}
			return pay(prefix);
		}

	}

	static class InSwitch extends Payments {

		public String order(String id) {
			return pay(switch (id) {
				case "a" -> "first";
				case "b" -> throw new IllegalArgumentException(id);
				default -> id + id.length();
			});
		}

	}

	static class ByVariable extends Payments {

		public String order(String id) {
			ByVariable self = this;
			return self.pay(id);
		}

	}

	static class OtherKey extends Payments {

		@DistributedLock(name = "payment", key = "#customer")
		public void order(String customer) {
			pay(customer + 1);
		}

	}

	interface Ordering {

		default void order(String id) {
			book(id);
		}

		void book(String id);

	}

	static class FromDefaultMethod implements Ordering {

		@Override
		@DistributedLock(key = "#id")
		public void book(String id) {
			// Short.
		}

	}

	static class Injected extends Payments {

		@Lazy
		@Autowired
		private Injected self;

		public void order(String id) {
			this.self.pay(id);
			Injected other = this.self;
			List.of(id).forEach(other::pay);
		}

	}

	static class Provided extends Payments {

		@Autowired
		private ObjectProvider<Provided> self;

		public void order(String id) {
			this.self.getObject().pay(id);
		}

	}

	static class CurrentProxy extends Payments {

		public void order(String id) {
			((CurrentProxy) AopContext.currentProxy()).pay(id);
		}

	}

	static class OtherObject extends Payments {

		public void order(OtherObject other, String id) {
			boolean self = equals(other);
			OtherObject chosen = self ? null : other;
			chosen.pay(id);
		}

	}

	static class Overriding extends Payments {

		@Override
		public String pay(String id) {
			return super.pay(id);
		}

	}

	static class SameLock extends Payments {

		@DistributedLock(name = "payment", key = "#id")
		public Supplier<String> order(String id) {
			pay(id);
			return () -> pay(id);
		}

	}

	@DistributedLock(name = "payments")
	static class WholeClassWithName {

		public void order(String id) {
			pay(id);
		}

		public void pay(String id) {
			// Short.
		}

	}

	static class Overloads {

		@DistributedLock(key = "#id")
		public void pay(String id) {
			pay(id, 1);
		}

		@DistributedLock(key = "#id")
		public void pay(String id, int amount) {
			// Short.
		}

	}

	static class Unlocked {

		public void pay() {
			// Short.
		}

	}

	static class SuperOfUnlocked extends Unlocked {

		@Override
		@DistributedLock
		public void pay() {
			// Short.
		}

		public void order() {
			super.pay();
		}

	}

	static class UnboundReference extends Payments {

		public Consumer<UnboundReference> order() {
			Consumer<UnboundReference> refund = UnboundReference::refund;
			return refund.andThen((other) -> other.pay("id"));
		}

		@DistributedLock
		public void refund() {
			// Short.
		}

	}

	static class BoundToOther extends Payments {

		public Supplier<String> order(BoundToOther other) {
			return () -> other.pay(toString());
		}

	}

	static class Payments {

		@DistributedLock(name = "payment", key = "#id")
		public String pay(String id) {
			return id;
		}

	}

}
