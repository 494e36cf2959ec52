package io.github.redislock.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.function.Supplier;

import io.github.redislock.LockOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;

class LockedMethodsTests {

	@Test
	void publicProtectedAndPackagePrivateMethodsOfClassAreLocked() {
		try (LockedContext context = LockedContext.of(Visible.class)) {
			Visible bean = context.get(Visible.class);

			bean.open();
			bean.inherited();
			bean.nearby();
			bean.unlocked();

			assertThat(context.locks().names).containsExactly("open", "inherited", "nearby");
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { LockedContext.Enabled.class, ClassProxies.class })
	void methodsOfInterfaceAreLockedBehindEachKindOfProxy(Class<?> proxies) {
		try (LockedContext context = LockedContext.of(FaceBean.class, proxies)) {
			Face bean = context.get(Face.class);

			bean.declared();
			bean.standard();
			bean.onClass();

			assertThat(AopUtils.isCglibProxy(bean)).isEqualTo(proxies == ClassProxies.class);
			assertThat(AopUtils.isAopProxy(bean)).isTrue();
			assertThat(context.locks().names).containsExactly("declared", "standard", "on-class");
		}
	}

	@Test
	void genericMethodsAreLockedOnceWhenCalledThroughBridgeMethods() {
		try (LockedContext context = LockedContext.of(OrderRepository.class, ClassProxies.class)) {
			OrderRepository bean = context.get(OrderRepository.class);
			Repository<String> generic = bean;

			bean.save("a");
			generic.save("b");

			assertThat(context.locks().names).containsExactly("save:a", "save:b");
		}
	}

	@Test
	void methodOfASubclassIsLockedAsTheNearestDeclarationSays() {
		try (LockedContext context = LockedContext.of(Child.class, ClassProxies.class)) {
			Child bean = context.get(Child.class);

			bean.inherited();
			bean.overridden();
			bean.redefined();

			assertThat(context.locks().names).containsExactly(Child.class.getName() + ".inherited", "parent", "child");
		}
	}

	@Test
	void inheritedMethodThatImplementsAnnotatedInterfaceIsLocked() {
		try (LockedContext context = LockedContext.of(Unaware.class, ClassProxies.class)) {
			context.get(Unaware.class).declared();

			assertThat(context.locks().names).containsExactly("declared");
		}
	}

	@Test
	void metaAnnotationsLockWithTheirAttributes() {
		try (LockedContext context = LockedContext.of(Meta.class)) {
			context.get(Meta.class).book("7");

			assertThat(context.locks().names).containsExactly("account:7");
			assertThat(context.locks().options.get(0))
				.hasToString(LockOptions.options().timeout(Duration.ofSeconds(10)).toString());
		}
	}

	@Test
	void lambdasAndJdkProxiesAreLockedByTheirInterface() {
		try (LockedContext context = LockedContext.of(Generated.class)) {
			context.get(Job.class).run("1");
			context.get(OtherJob.class).run("2");

			assertThat(context.locks().names).containsExactly(Job.class.getName() + ".run:1", "other:2");
		}
	}

	@Test
	void methodsOfConfigurationClassesAreLocked() {
		try (LockedContext context = LockedContext.of(LockedConfiguration.class)) {
			context.get(LockedConfiguration.class).work();

			assertThat(context.locks().names).containsExactly(LockedConfiguration.class.getName() + ".work");
		}
	}

	@Test
	void beanThatAPostProcessorNeedsIsLocked() {
		try (LockedContext context = LockedContext.of(NeededEarly.class)) {
			context.get(Face.class).declared();

			assertThat(context.locks().names).containsExactly("on-class", "declared");
		}
	}

	@Test
	void methodsBehindAnOpaqueProxyAreLocked() {
		try (LockedContext context = LockedContext.of(Visible.class, OpaqueProxies.class)) {
			context.get(Visible.class).open();

			assertThat(context.get(Visible.class)).isNotInstanceOf(Advised.class);
			assertThat(context.locks().names).containsExactly("open");
		}
	}

	@Test
	void packagePrivateListenerIsLocked() {
		try (LockedContext context = LockedContext.of(Listening.class)) {
			assertThat(context.locks().names).containsExactly("event");
		}
	}

	@Test
	void prototypesAndScopedBeansAreLockedOnce() {
		try (LockedContext context = LockedContext.of(Scoped.class, Prototype.class)) {
			context.get(Scoped.class).work();
			context.get(Prototype.class).work();

			assertThat(context.locks().names).containsExactly(Scoped.class.getName() + ".work",
					Prototype.class.getName() + ".work");
		}
	}

	@Test
	void beansWithCircularReferencesAreLocked() {
		try (LockedContext context = LockedContext.of(Hen.class, Egg.class)) {
			context.get(Egg.class).hen.cackle();
			context.get(Hen.class).cackle();

			assertThat(context.locks().names).containsExactly(Hen.class.getName() + ".cackle",
					Hen.class.getName() + ".cackle");
		}
	}

	static class Visible {

		@DistributedLock("open")
		public void open() {
		}

		@DistributedLock("inherited")
		protected void inherited() {
		}

		@DistributedLock("nearby")
		void nearby() {
		}

		void unlocked() {
		}

	}

	interface Face {

		@DistributedLock("declared")
		void declared();

		@DistributedLock("standard")
		default void standard() {
		}

		void onClass();

	}

	static class FaceBean implements Face {

		@Override
		public void declared() {
		}

		@Override
		@DistributedLock("${app.none:on-class}")
		public void onClass() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks(proxyTargetClass = true)
	static class ClassProxies {

	}

	@Configuration(proxyBeanMethods = false)
	static class OpaqueProxies {

		@Bean
		static BeanFactoryPostProcessor opaque() {
			return (beans) -> beans.getBeanDefinition(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)
				.getPropertyValues()
				.add("opaque", true);
		}

	}

	interface Repository<T> {

		@DistributedLock(name = "save", key = "#entity")
		void save(T entity);

	}

	static class OrderRepository implements Repository<String> {

		@Override
		public void save(String order) {
		}

	}

	abstract static class Parent {

		@DistributedLock
		public void inherited() {
		}

		@DistributedLock("parent")
		public void overridden() {
		}

		@DistributedLock("parent")
		public void redefined() {
		}

	}

	interface Inheritable {

		@DistributedLock("interface")
		default void inherited() {
		}

	}

	static class Child extends Parent implements Inheritable {

		@Override
		public void overridden() {
		}

		@Override
		@DistributedLock("child")
		public void redefined() {
		}

	}

	interface Declared {

		@DistributedLock("declared")
		void declared();

	}

	static class Unsuspecting {

		public void declared() {
		}

	}

	static class Unaware extends Unsuspecting implements Declared {

	}

	@DistributedLock(name = "account", timeout = "10s")
	@Retention(RetentionPolicy.RUNTIME)
	@interface LockAccount {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String value();

	}

	static class Meta {

		@LockAccount("#account")
		void book(String account) {
		}

	}

	@FunctionalInterface
	interface Job {

		@DistributedLock(key = "#id")
		void run(String id);

	}

	interface AnyJob {

		@DistributedLock(name = "other", key = "#p0")
		void run(String id);

	}

	interface OtherJob extends AnyJob {

	}

	@Configuration(proxyBeanMethods = false)
	static class Generated {

		@Bean
		Job lambda() {
			return (id) -> {
			};
		}

		@Bean
		OtherJob proxy() {
			InvocationHandler handler = (proxy, method, arguments) -> method.getName().equals("hashCode") ? 7 : null;
			return (OtherJob) Proxy.newProxyInstance(OtherJob.class.getClassLoader(), new Class<?>[] { OtherJob.class },
					handler);
		}

	}

	@Configuration
	static class LockedConfiguration {

		@Bean
		Supplier<String> something() {
			return () -> "x";
		}

		@DistributedLock
		public void work() {
		}

	}

	@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
	static class Scoped {

		@DistributedLock
		public void work() {
		}

	}

	@Scope("prototype")
	static class Prototype {

		@DistributedLock
		public void work() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NeededEarly {

		@Bean
		static FaceBean needed() {
			return new FaceBean();
		}

		@Bean
		static BeanPostProcessor processor(Face needed) {
			needed.onClass();
			return new BeanPostProcessor() {
			};
		}

	}

	static class Listening {

		@EventListener
		@DistributedLock("event")
		void on(ContextRefreshedEvent event) {
		}

	}

	static class Hen {

		@Autowired
		Egg egg;

		@DistributedLock
		public void cackle() {
		}

	}

	static class Egg {

		@Autowired
		Hen hen;

	}

}
