package io.github.redislock.annotation;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockMode;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.leadership.LockLeadership;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.testing.LogRecorder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.AopContext;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls of locked methods through {@code this} are found in the byte code at startup.
 */
class SelfCallTests {

	private static final String READER = "io.github.redislock.internal.interceptor.check.SelfCalls";

	@Test
	void calledMethodIsReportedOnceWithACaller() {
		assertThat(warningsAtStartOf(Direct.class))
			.isEqualTo(("Method '%1$s.pay(String)' runs without its lock when called by '%1$s.order', because a"
					+ " call within the same object bypasses the proxy: move the method to another bean, or call it"
					+ " through an injected reference to its bean")
				.formatted(Direct.class.getName()));
	}

	@Test
	void calledMethodOfAPrototypeIsReportedOnce() {
		try (LogRecorder log = LogRecorder.warningsOf(READER);
				LockedContext context = LockedContext.of(PrototypePayments.class)) {
			context.get(PrototypePayments.class);
			assertThat(log.lines()).hasSize(1);

			context.get(PrototypePayments.class);
			assertThat(log.lines()).hasSize(1);
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { Mailer.class, OtherRole.class })
	void leaderOnlyMethodIsReported(Class<?> bean) {
		assertThat(warningsAtStartOf(bean)).contains(
				"Method '%1$s.send()' runs on every instance when called by '%1$s.poll'".formatted(bean.getName()));
	}

	@ParameterizedTest
	@ValueSource(classes = { Ternary.class, WideArguments.class, InLambda.class, ByReference.class, InConstructor.class,
			Inheriting.class, Generic.class, WholeClass.class, ThroughInterface.class, OfSuperclass.class,
			InTryBlock.class, InSwitch.class, ByVariable.class, OtherKey.class, FromDefaultMethod.class,
			InPrivateMethod.class, OfAProxy.class, WritingInRead.class, AloneInCounted.class })
	void selfCallIsReported(Class<?> bean) {
		assertThat(warningsAtStartOf(bean).lines()).hasSize(1)
			.allMatch((warning) -> warning.contains("runs without its lock when called by '"));
	}

	@ParameterizedTest
	@ValueSource(classes = { OtherInstances.class, Overriding.class, SameLock.class, WholeClassWithName.class,
			Overloads.class, SuperOfUnlocked.class, SharedLock.class, SameRole.class })
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
			pay(id + "2");
		}

		public void cancel(String id) {
			this.pay(id);
		}

		@DistributedLock(key = "#id")
		public String pay(String id) {
			return id;
		}

	}

	@Scope("prototype")
	static class PrototypePayments extends Direct {

	}

	static class Ternary extends Payments {

		public void order(String id) {
			pay((id != null) ? id.trim() : Optional.ofNullable(id).orElse("none"));
		}

	}

	/**
	 * Creates an object that only its interface describes, such as an HTTP client.
	 */
	static class OfAProxy implements FactoryBean<Client> {

		@Override
		public Client getObject() {
			return (Client) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Client.class },
					(proxy, method, arguments) -> null);
		}

		@Override
		public Class<?> getObjectType() {
			return Client.class;
		}

	}

	interface Client {

		@DistributedLock(name = "price", key = "#id")
		String price(String id);

		default String both() {
			return price("1") + price("2");
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

	static class InPrivateMethod extends Payments {

		public void order(String id) {
			book(id);
		}

		private void book(String id) {
			pay(id);
		}

	}

	static class WritingInRead extends Payments {

		@DistributedLock(name = "payment", key = "#id", mode = LockMode.READ)
		public String order(String id) {
			return pay(id);
		}

	}

	static class AloneInCounted extends Payments {

		@DistributedLock(name = "payment", key = "#id", permits = "2")
		public String order(String id) {
			return pay(id);
		}

	}

	static class Roles {

		@Bean
		static LockLeadership mailerLeadership() {
			return leadership("mailer");
		}

		@Bean
		static LockLeadership writerLeadership() {
			return leadership("writer");
		}

		private static LockLeadership leadership(String role) {
			LockLeadership leadership = new LockLeadership(role,
					new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults()));
			leadership.setAutoStartup(false);
			return leadership;
		}

	}

	static class Mailer extends Roles {

		public void poll() {
			send();
		}

		@LeaderOnly("mailer")
		public void send() {
			// Short.
		}

	}

	static class OtherRole extends Roles {

		@LeaderOnly("writer")
		public void poll() {
			send();
		}

		@LeaderOnly("mailer")
		public void send() {
			// Short.
		}

	}

	static class SameRole extends Roles {

		@LeaderOnly("mailer")
		public void poll() {
			send();
		}

		@LeaderOnly("mailer")
		public void send() {
			// Short.
		}

	}

	static class OtherInstances extends Payments {

		@Lazy
		@Autowired
		private OtherInstances self;

		@Autowired
		private ObjectProvider<OtherInstances> provider;

		public void injected(String id) {
			this.self.pay(id);
			OtherInstances other = this.self;
			List.of(id).forEach(other::pay);
		}

		public void returned(String id) {
			self().pay(id);
		}

		private OtherInstances self() {
			return this.self;
		}

		public void provided(String id) {
			this.provider.getObject().pay(id);
		}

		public void currentProxy(String id) {
			((OtherInstances) AopContext.currentProxy()).pay(id);
		}

		public void argument(OtherInstances other, String id) {
			boolean same = equals(other);
			OtherInstances chosen = same ? null : other;
			chosen.pay(id);
		}

		public Supplier<String> boundReference(OtherInstances other) {
			return () -> other.pay(toString());
		}

		public Consumer<OtherInstances> unboundReference() {
			Consumer<OtherInstances> refund = OtherInstances::refund;
			return refund.andThen((other) -> other.pay("id"));
		}

		@DistributedLock
		public void refund() {
			// Short.
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
		public String order(String id) {
			Supplier<String> payment = () -> pay(id);
			return payment.get() + pay(id);
		}

	}

	static class SharedLock {

		@DistributedLock("prices")
		public void change() {
			quote();
			export();
		}

		@DistributedLock(name = "prices", mode = LockMode.READ)
		public void quoteAll() {
			quote();
		}

		@DistributedLock(name = "prices", mode = LockMode.READ)
		public void quote() {
			// Short.
		}

		@DistributedLock(name = "prices", permits = "2")
		public void exportAll() {
			export();
		}

		@DistributedLock(name = "prices", permits = "2")
		public void export() {
			// Short.
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

	static class Payments {

		@DistributedLock(name = "payment", key = "#id")
		public String pay(String id) {
			return id;
		}

	}

}
