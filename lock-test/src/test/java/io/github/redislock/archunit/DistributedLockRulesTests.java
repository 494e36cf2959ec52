package io.github.redislock.archunit;

import java.io.Closeable;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.function.Consumer;

import com.acme.shop.InternalTypes;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import io.github.redislock.LockMode;
import io.github.redislock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationListener;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextRefreshedEvent;

import static org.assertj.core.api.Assertions.assertThat;

class DistributedLockRulesTests {

	@ParameterizedTest
	@ValueSource(classes = { CallsInherited.class, CallsSuper.class, CallsFromSubclass.class, CallsImplementation.class,
			CallsGenericImplementation.class, CallsWithinLockedType.class, CallsWithinInheritedType.class,
			CallsMethodOfLockedInterface.class, CallsWorkOfOwnLifecycle.class, CallsOverloadOfCallback.class,
			CallsOtherOverloadOfCallback.class })
	void callWithinTheObjectIsReported(Class<?> type) {
		assertThat(violations(DistributedLockRules.LOCKED_METHODS_ARE_NOT_CALLED_WITHIN_THEIR_OBJECT, type))
			.singleElement()
			.asString()
			.contains(type.getName() + ".", ".pay(")
			.contains("which is locked, but a call within the same object bypasses the proxy")
			.contains("DistributedLockRulesTests.java:");
	}

	@Test
	void eachCallOfALockedMethodIsReported() {
		List<String> callers = List.of("<init>", "once", "inLambda", "byReference", "composed", "withOtherKey",
				"readerOfWriter", "readerOfPermit", "permitOfWriter");

		List<String> reported = violations(DistributedLockRules.LOCKED_METHODS_ARE_NOT_CALLED_WITHIN_THEIR_OBJECT,
				CallsItself.class);

		assertThat(reported).hasSameSizeAs(callers);
		assertThat(callers)
			.allSatisfy((caller) -> assertThat(reported).anyMatch((violation) -> violation.contains(caller)));
	}

	@Test
	void callFromInnerClassesIsReported() {
		assertThat(violations(DistributedLockRules.LOCKED_METHODS_ARE_NOT_CALLED_WITHIN_THEIR_OBJECT,
				CallsFromInnerClass.class, CallsFromInnerClass.Inner.class, CallsFromInnerClass.anonymous()))
			.hasSize(2);
	}

	@ParameterizedTest
	@ValueSource(classes = { CallsOther.class, CallsUnlocked.class, CallsThroughInterface.class, CallsOverridden.class,
			CallsUnderTheSameLock.class, CallsNonPublicOfLockedType.class, CallsFromStaticNestedClass.Nested.class,
			GenericImplementation.class, CallsToString.class, CallsCallbacksOfTheContainer.class,
			CallsUnlockedOverload.class, CallsUnlockedOverloadOfLocked.class })
	void permittedCallIsNotReported(Class<?> type) {
		assertThat(violations(DistributedLockRules.LOCKED_METHODS_ARE_NOT_CALLED_WITHIN_THEIR_OBJECT, type)).isEmpty();
	}

	@Test
	void useOfAnInternalTypeIsReported() {
		assertThat(violations(DistributedLockRules.INTERNAL_TYPES_ARE_NOT_USED, InternalTypes.class)).singleElement()
			.asString()
			.contains(InternalTypes.class.getName() + ".describe");
		assertThat(violations(DistributedLockRules.INTERNAL_TYPES_ARE_NOT_USED, PrivateMethod.class)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(classes = { PrivateMethod.class, StaticMethod.class, FinalMethod.class, FinalClass.class,
			FinalMethodOfLockedType.class, FinalImplementation.class })
	void methodThatNoProxyCanLockIsReported(Class<?> type) {
		assertThat(violations(DistributedLockRules.LOCKED_METHODS_CAN_BE_PROXIED, type)).singleElement()
			.asString()
			.contains(type.getName() + ".pay(")
			.contains("is locked, but")
			.contains("no proxy can lock it");
	}

	@ParameterizedTest
	@ValueSource(classes = { CallsItself.class, LockedTypeWithHelpers.class, CallsUnlocked.class,
			CallsCallbacksOfTheContainer.class })
	void methodThatProxiesCanLockIsNotReported(Class<?> type) {
		assertThat(violations(DistributedLockRules.LOCKED_METHODS_CAN_BE_PROXIED, type)).isEmpty();
	}

	private static List<String> violations(ArchRule rule, Class<?>... types) {
		return rule.evaluate(new ClassFileImporter().importClasses(types)).getFailureReport().getDetails();
	}

	/**
	 * Its constructor and its first methods call locked methods.
	 */
	static class CallsItself {

		CallsItself() {
			pay("1");
		}

		void once() {
			pay("1");
		}

		void inLambda(List<String> ids) {
			ids.forEach((id) -> pay(id));
		}

		void byReference(List<String> ids) {
			ids.forEach(this::pay);
		}

		void composed() {
			payComposed("1");
		}

		@DistributedLock(name = "pay", key = "#p0")
		public void withOtherKey(String id) {
			payKeyed(id + 1);
		}

		@DistributedLock(name = "a", mode = LockMode.READ)
		public void readerOfWriter() {
			write();
		}

		@DistributedLock(name = "a", mode = LockMode.READ)
		public void readerOfPermit() {
			permit();
		}

		@DistributedLock(name = "a", permits = "3")
		public void permitOfWriter() {
			write();
		}

		@DistributedLock
		public void pay(String id) {
		}

		@Composed
		public void payComposed(String id) {
		}

		@DistributedLock(name = "pay", key = "#p0")
		public void payKeyed(String id) {
		}

		@DistributedLock(name = "a")
		public void write() {
		}

		@DistributedLock(name = "a", permits = "3")
		public void permit() {
		}

	}

	static class CallsUnderTheSameLock {

		static void main(CallsUnderTheSameLock bean) {
			bean.pay("1");
			Consumer<String> pay = bean::pay;
			pay.accept("2");
		}

		@DistributedLock("pay")
		public void payTwice() {
			pay("1");
		}

		@DistributedLock(name = "pay")
		public void pay(String id) {
		}

		@DistributedLock(name = "a")
		public void writerOfReader() {
			read();
		}

		@DistributedLock(name = "a")
		public void writerOfPermit() {
			permit();
		}

		@DistributedLock(name = "a", mode = LockMode.READ)
		public void readerOfReader() {
			read();
		}

		@DistributedLock(name = "a", permits = "3")
		public void permitOfPermit() {
			permit();
		}

		@DistributedLock(name = "a", mode = LockMode.READ)
		public void read() {
		}

		@DistributedLock(name = "a", permits = "4")
		public void permit() {
		}

	}

	static class CallsInherited extends CallsOther {

		void payTwice() {
			pay("1");
		}

	}

	static class CallsSuper extends CallsOther {

		void payTwice() {
			super.pay("1");
		}

	}

	abstract static class Template {

		@DistributedLock
		public abstract void pay(String id);

	}

	static class CallsFromSubclass extends Template {

		void payTwice() {
			pay("1");
		}

		@Override
		public void pay(String id) {
		}

	}

	interface Paying {

		@DistributedLock
		void pay(String id);

	}

	static class CallsImplementation implements Paying {

		void payTwice() {
			pay("1");
		}

		@Override
		public void pay(String id) {
		}

	}

	interface Generic<T> {

		@DistributedLock
		void pay(T id);

	}

	static class GenericImplementation implements Generic<String> {

		@Override
		public void pay(String id) {
		}

	}

	static class CallsGenericImplementation implements Generic<String> {

		void payTwice() {
			pay("1");
		}

		@Override
		public void pay(String id) {
		}

	}

	@DistributedLock("composed")
	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@interface Composed {

	}

	@DistributedLock
	static class CallsWithinLockedType {

		public void payTwice() {
			pay("1");
		}

		public void pay(String id) {
		}

	}

	@Composed
	static class LockedParent {

	}

	static class CallsWithinInheritedType extends LockedParent {

		void payTwice() {
			pay("1");
		}

		public void pay(String id) {
		}

	}

	@DistributedLock
	interface LockedInterface {

		void pay(String id);

	}

	static class CallsMethodOfLockedInterface implements LockedInterface {

		public void payTwice() {
			pay("1");
		}

		@Override
		public void pay(String id) {
		}

	}

	static class CallsFromInnerClass {

		static Class<?> anonymous() {
			return new CallsFromInnerClass().runnable().getClass();
		}

		Runnable runnable() {
			return new Runnable() {

				@Override
				public void run() {
					pay("1");
				}

			};
		}

		@DistributedLock
		public void pay(String id) {
		}

		class Inner {

			void payTwice() {
				pay("1");
			}

		}

	}

	static class CallsFromStaticNestedClass {

		@DistributedLock
		public void pay(String id) {
		}

		static class Nested {

			void payTwice(CallsFromStaticNestedClass other) {
				other.pay("1");
			}

		}

	}

	static class CallsOther {

		void payAll(CallsItself other) {
			other.pay("1");
		}

		@DistributedLock
		public void pay(String id) {
		}

	}

	static class CallsUnlocked {

		void payAll() {
			pay("1");
		}

		public void pay(String id) {
		}

	}

	/**
	 * Only the method with the parameter of the interface is locked.
	 */
	static class CallsUnlockedOverload implements Generic<String> {

		void payAll() {
			pay(1);
			verify("1");
		}

		@Override
		public void pay(String id) {
		}

		public void pay(int id) {
		}

		public void verify(String id) {
		}

	}

	static class CallsUnlockedOverloadOfLocked implements Generic<Object> {

		@Override
		public void pay(Object id) {
			pay(id.toString());
		}

		public void pay(String id) {
		}

	}

	static class CallsThroughInterface implements Paying {

		private final Paying self;

		CallsThroughInterface(Paying self) {
			this.self = self;
		}

		void payAll() {
			this.self.pay("1");
		}

		@Override
		public void pay(String id) {
		}

	}

	static class CallsOverridden extends CallsOther {

		@Override
		public void pay(String id) {
			super.pay(id);
		}

	}

	@DistributedLock
	static class CallsNonPublicOfLockedType {

		public void payTwice() {
			pay("1");
		}

		void pay(String id) {
		}

	}

	@DistributedLock
	static class CallsToString {

		public String pay() {
			return toString();
		}

		@Override
		public String toString() {
			return "";
		}

	}

	@DistributedLock
	static class CallsCallbacksOfTheContainer
			implements InitializingBean, Closeable, SmartLifecycle, ApplicationListener<ContextRefreshedEvent> {

		@Override
		public final void afterPropertiesSet() {
		}

		@Override
		public final void close() {
		}

		@Override
		public final void start() {
		}

		@Override
		public final void stop() {
		}

		@Override
		public final boolean isRunning() {
			return false;
		}

		@Override
		public final void onApplicationEvent(ContextRefreshedEvent event) {
		}

		@Autowired
		public final void setObject(Object object) {
		}

		public void reopen(ContextRefreshedEvent event) {
			close();
			afterPropertiesSet();
			setObject(event);
			onApplicationEvent(event);
			if (!isRunning()) {
				stop();
				start();
			}
		}

	}

	interface PaymentLifecycle extends Lifecycle {

		void pay(String id);

	}

	@DistributedLock
	abstract static class CallsWorkOfOwnLifecycle implements PaymentLifecycle {

		public void payTwice() {
			pay("1");
		}

		@Override
		public void pay(String id) {
		}

	}

	interface PayingAware extends Aware {

		void pay(String id);

		void prepare(int id);

	}

	@DistributedLock
	abstract static class CallsOverloadOfCallback implements PayingAware {

		public void payTwice() {
			pay(1);
		}

		public void pay(int id) {
		}

	}

	@DistributedLock
	abstract static class CallsOtherOverloadOfCallback implements PayingAware {

		public void payTwice() {
			pay("1", 1);
		}

		public void pay(String id, int times) {
		}

	}

	@SuppressWarnings("unused")
	static class PrivateMethod {

		@DistributedLock
		private void pay() {
		}

	}

	static class StaticMethod {

		@DistributedLock
		static void pay() {
		}

	}

	static class FinalMethod {

		@DistributedLock
		public final void pay() {
		}

	}

	static final class FinalClass {

		@DistributedLock
		public void pay() {
		}

	}

	@DistributedLock
	static class FinalMethodOfLockedType {

		public final void pay() {
		}

	}

	static class FinalImplementation implements Paying {

		@Override
		public final void pay(String id) {
		}

	}

	@DistributedLock
	static class LockedTypeWithHelpers {

		static void helper() {
		}

		final void closed() {
		}

		private void hidden() {
		}

		public void pay() {
			hidden();
		}

	}

}
