package io.github.redislock.annotation;

import java.io.Closeable;
import java.util.function.Consumer;

import io.github.redislock.LockOptions;
import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.testing.LogRecorder;
import org.junit.jupiter.api.Test;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.core.convert.converter.Converter;

import static org.assertj.core.api.Assertions.assertThat;

class LockedTypesTests {

	@Test
	void inheritedMethodsWithoutALockAreNotListedAsLocked() {
		try (LogRecorder log = LogRecorder.debugOf("io.github.redislock.internal.interceptor.check.LockedBeanChecker");
				LockedContext context = LockedContext.of(LockedChild.class)) {
			context.get(LockedChild.class).inherited();

			assertThat(log.text())
				.contains("Only these methods of '%s' are locked: [own()]".formatted(LockedChild.class.getName()));
			assertThat(context.locks().names).isEmpty();
		}
	}

	@Test
	void eachPublicMethodDeclaredByTheTypeExceptThoseOfObjectIsLockedUnderItsOwnName() {
		try (LockedContext context = LockedContext.of(Orders.class)) {
			Orders bean = context.get(Orders.class);

			bean.pay();
			bean.getState();
			bean.nearby();
			bean.inherited();
			assertThat(bean).hasToString("orders").isEqualTo(bean).hasSameHashCodeAs(bean);

			assertThat(context.locks().names).containsExactly(Orders.class.getName() + ".pay",
					Orders.class.getName() + ".getState");
		}
	}

	@Test
	void methodAnnotationReplacesTheTypeAnnotation() {
		try (LockedContext context = LockedContext.of(Stock.class)) {
			context.get(Stock.class).count();

			assertThat(context.locks().names).containsExactly(Stock.class.getName() + ".count");
			assertThat(context.locks().options.get(0)).hasToString(LockOptions.options().toString());
		}
	}

	@Test
	void subclassInheritsTheLockOfItsSuperclass() {
		try (LockedContext context = LockedContext.of(BigStock.class)) {
			BigStock bean = context.get(BigStock.class);

			bean.take("a", 1);
			bean.put("b");
			bean.more("c");

			assertThat(context.locks().names).containsExactly("stock:a", "stock:b", "stock:c");
		}
	}

	@Test
	void lockOfASubclassReplacesThatOfTheTypeButNotThatOfAnOverriddenMethod() {
		try (LockedContext context = LockedContext.of(OtherStock.class)) {
			OtherStock bean = context.get(OtherStock.class);

			bean.take("a", 1);
			bean.put("b");
			bean.count();

			assertThat(context.locks().names).containsExactly("stock:a", "other",
					OtherStock.class.getName() + ".count");
		}
	}

	@Test
	void methodsDeclaredByAnAnnotatedInterfaceAreLocked() {
		try (LockedContext context = LockedContext.of(FaceBean.class)) {
			Face bean = context.get(Face.class);

			bean.declared("a");
			bean.standard("b");
			bean.above("c");

			assertThat(AopUtils.isJdkDynamicProxy(bean)).isTrue();
			assertThat(context.locks().names).containsExactly("face:a", "face:b");
		}
	}

	/** A method that cannot be called through a JDK proxy is ignored. */
	@Test
	void classAnnotationTakesPrecedenceOverThatOfTheInterface() {
		try (LockedContext context = LockedContext.of(SelfLocked.class, LockedMethodsTests.ClassProxies.class)) {
			SelfLocked bean = context.get(SelfLocked.class);

			bean.declared("a");
			bean.above("b");

			assertThat(context.locks().names).containsExactly("self", "self");
		}
		try (LockedContext context = LockedContext.of(SelfLocked.class)) {
			context.get(Face.class).declared("a");

			assertThat(context.locks().names).containsExactly("self");
		}
	}

	@Test
	void containerCallbacksNeedNoKey() {
		try (LockedContext context = LockedContext.of(WithCallbacks.class, LockedMethodsTests.ClassProxies.class)) {
			context.get(WithCallbacks.class).work("7");

			assertThat(context.locks().names).containsExactly(WithCallbacks.class.getName() + ".work:7");
		}
	}

	@Test
	void onlyTheLifecycleAndEventMethodsOfABeanAreNotLocked() {
		try (LockedContext context = LockedContext.of(WithLifecycle.class, LockedMethodsTests.ClassProxies.class)) {
			WithLifecycle bean = context.get(WithLifecycle.class);
			assertThat(AopUtils.isAopProxy(bean)).isTrue();
			assertThat(bean.isRunning()).isTrue();

			bean.onApplicationEvent(new ContextRefreshedEvent(new StaticApplicationContext()));
			bean.stop();
			bean.start();
			assertThat(context.locks().names).isEmpty();

			bean.pay("7");
			bean.stop("8");
			bean.convert("9");

			assertThat(context.locks().names).containsExactly(WithLifecycle.class.getName() + ".pay",
					WithLifecycle.class.getName() + ".stop", WithLifecycle.class.getName() + ".convert");
		}
	}

	@Test
	void unknownVariableInOneMethodFailsStartup() {
		InvalidLockedMethodException failure = LockedContext.failureOf((beans) -> beans.register(UnknownInOne.class));

		assertThat(failure.getDescription()).startsWith(
				"Method '" + UnknownInOne.class.getName() + ".status()' cannot be locked: its key '#id' uses '#id'");
		assertThat(failure.getAction()).contains("Correct the name of the variable.");
		assertThat(failure.getSuppressed()).isEmpty();
	}

	@Test
	void publicFinalMethodOfALockedTypeIsRejected() {
		assertThat(LockedContext.failureOf((beans) -> beans.register(WithFinalMethod.class)).getDescription())
			.contains(".pay()' cannot be locked: a proxy cannot intercept 'public final void ");
	}

	@Test
	void nonPublicFinalAndStaticMethodsAreIgnored() {
		try (LockedContext context = LockedContext.of(WithHelpers.class)) {
			context.get(WithHelpers.class).work();

			assertThat(context.locks().names).containsExactly(WithHelpers.class.getName() + ".work");
		}
	}

	static class Above {

		public void inherited() {
		}

	}

	@DistributedLock
	static class Orders extends Above {

		public void pay() {
		}

		public String getState() {
			return "";
		}

		void nearby() {
		}

		@Override
		public String toString() {
			return "orders";
		}

		@Override
		public boolean equals(Object other) {
			return this == other;
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

	@DistributedLock(name = "stock", key = "#item", timeout = "10s")
	static class Stock {

		public void take(String item, int number) {
		}

		public void put(String item) {
		}

		@DistributedLock
		public void count() {
		}

	}

	static class BigStock extends Stock {

		@Override
		public void put(String item) {
		}

		public void more(String item) {
		}

	}

	@DistributedLock("other")
	static class OtherStock extends Stock {

		@Override
		public void put(String item) {
		}

		@Override
		public void count() {
		}

	}

	interface FaceAbove {

		void above(String id);

	}

	@DistributedLock(name = "face", key = "#id")
	interface Face extends FaceAbove {

		void declared(String id);

		default void standard(String id) {
		}

		static void helper() {
		}

	}

	interface LowerFace extends Face {

	}

	static class FaceBean implements LowerFace {

		@Override
		public void declared(String name) {
		}

		@Override
		public void above(String id) {
		}

		public void own() {
		}

	}

	@DistributedLock("self")
	static class SelfLocked extends FaceBean {

		@Override
		public void declared(String name) {
		}

		@Override
		public void above(String id) {
		}

		@Override
		public void own() {
		}

	}

	@DistributedLock(key = "#id")
	static class WithCallbacks
			implements InitializingBean, DisposableBean, ApplicationContextAware, Consumer<String>, Closeable {

		public void work(String id) {
		}

		@Override
		public void afterPropertiesSet() {
		}

		@Override
		public void destroy() {
		}

		@Override
		public void close() {
		}

		@Override
		public void setApplicationContext(ApplicationContext context) {
		}

		@Autowired
		public void setLocks(RecordingLocks locks) {
		}

		@Override
		public void accept(String id) {
		}

	}

	interface PaymentLifecycle extends SmartLifecycle {

		void pay(String id);

	}

	@DistributedLock
	static class WithLifecycle
			implements PaymentLifecycle, ApplicationListener<ContextRefreshedEvent>, Converter<String, String> {

		private boolean running;

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public void onApplicationEvent(ContextRefreshedEvent event) {
		}

		@Override
		public void pay(String id) {
		}

		public void stop(String what) {
		}

		@Override
		public String convert(String id) {
			return id;
		}

	}

	@DistributedLock(name = "order", key = "#id")
	static class UnknownInOne {

		public void pay(String id) {
		}

		public String status() {
			return "";
		}

	}

	@DistributedLock
	static class WithHelpers {

		public static void helper() {
		}

		final void sealed() {
		}

		private void hidden() {
		}

		public void work() {
			hidden();
		}

	}

	@DistributedLock
	static class WithFinalMethod {

		public final void pay() {
		}

	}

	static class UnlockedParent {

		public void inherited() {
		}

	}

	@DistributedLock
	static class LockedChild extends UnlockedParent {

		public void own() {
		}

	}

}
