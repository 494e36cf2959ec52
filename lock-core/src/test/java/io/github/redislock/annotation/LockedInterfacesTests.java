package io.github.redislock.annotation;

import java.lang.reflect.Proxy;
import java.util.List;

import io.github.redislock.LockConfiguration;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.internal.interceptor.LockedMethods;
import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.leadership.LockLeadership;
import io.github.redislock.memory.InMemoryLockStore;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.aop.support.DefaultIntroductionAdvisor;
import org.springframework.aop.support.DelegatingIntroductionInterceptor;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Role;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.annotation.Id;
import org.springframework.data.keyvalue.repository.KeyValueRepository;
import org.springframework.data.map.repository.config.EnableMapRepositories;
import org.springframework.data.repository.NoRepositoryBean;
import org.springframework.util.Assert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Methods that the class of a bean's target does not have, because the bean is made from
 * an interface, or because advice adds them.
 */
class LockedInterfacesTests {

	@Test
	void methodsOfARepositoryAreLocked() {
		try (LockedContext context = LockedContext.of(Repositories.class)) {
			Articles articles = context.get(Articles.class);

			articles.save(new Article("7", "pen"));
			articles.findByName("pen");
			articles.rename("7", "ink");
			articles.existsById("7");
			articles.existsInBase("8");
			articles.findBySku("9");

			assertThat(context.locks().names).containsExactly("save", Articles.class.getName() + ".findByName:pen",
					"article:7", "base:8", "base:9");
			assertThat(articles.findById("7")).map(Article::name).contains("ink");
		}
	}

	@Test
	void fallbackOfARepositoryIsCalled() {
		try (LockedContext context = LockedContext.of(Repositories.class)) {
			context.locks().makeBusy("article:7");

			assertThat(context.get(Articles.class).rename("7", "ink")).isEqualTo("refused");
		}
	}

	@Test
	void productThatCannotBeCreatedYetIsLockedLater() {
		try (LockedContext context = LockedContext.of(LateFactory.class)) {
			context.get(LateFactory.class).ready = true;

			context.get(Payments.class).pay("7");

			assertThat(context.locks().names).hasSize(1);
		}
	}

	@Test
	void productWithoutLocksIsNotCreatedAtStartup() {
		try (LockedContext context = LockedContext.of(CoinsFactory.class)) {
			assertThat(context.get(CoinsFactory.class).products).isZero();
		}
	}

	@Test
	void methodsOfOtherProxiesAreLocked() {
		try (LockedContext context = LockedContext.of(Proxies.class)) {
			for (String name : List.of("ofFactory", "withoutTarget", "aroundOther", "aroundOwn", "withSecond")) {
				Payments payments = (Payments) context.get(name);

				assertThat(payments.pay(name)).as(name).isEqualTo("paid");
				payments.refund();
			}

			assertThat(context.locks().names).containsExactly("pay:ofFactory", "pay:withoutTarget", "pay:aroundOther",
					"pay:aroundOwn", "pay:withSecond");
		}
	}

	@Test
	void proxiesAroundALockedBeanNeedNoLock() {
		try (LockedContext context = LockedContext.of(Around.class)) {
			OtherPayments payments = (OtherPayments) context.get("around");
			OtherPayments ofFactory = (OtherPayments) context.get("aroundByFactory");

			assertThat(payments.pay("7")).isEqualTo("paid");
			assertThat(ofFactory.pay("8")).isEqualTo("paid");
			assertThat(context.locks().names).containsExactly("cheque:7", "cheque:8");
		}
	}

	@Test
	void proxyAroundABeanWithoutItsLockIsRejected() {
		assertThat(failureOf(AroundUnlocked.class)).isInstanceOf(InvalidLockedMethodException.class)
			.hasMessageContaining("bean 'around' has no proxy that intercepts it");
	}

	@Test
	void targetThatReplacesALockedOneIsCalledWithoutALock() {
		try (LockedContext context = LockedContext.of(Coins.class)) {
			HotSwappableTargetSource target = new HotSwappableTargetSource(new Cheque());
			ProxyFactory factory = new ProxyFactory(OtherPayments.class, target);
			factory.addAdvisor(context.get(LockedMethods.class));
			OtherPayments payments = (OtherPayments) factory.getProxy();
			payments.pay("7");
			target.swap((OtherPayments) (id) -> "for free");

			assertThat(payments.pay("8")).isEqualTo("for free");
			assertThat(context.locks().names).containsExactly("cheque:7");
		}
	}

	@Test
	void methodsOfAMixinAreLocked() {
		try (LockedContext context = LockedContext.of(MixedIn.class)) {
			Payments payments = (Payments) context.get("cash");

			assertThat(payments.pay("7")).isEqualTo("paid");
			assertThat(context.locks().names).containsExactly("pay:7");
		}
	}

	@Test
	void mixinWithoutTheAdviceIsRejected() {
		assertThat(failureOf(UnlockedMixin.class)).isInstanceOf(InvalidLockedMethodException.class)
			.hasMessageContaining("Payments.pay(String)' cannot be locked: ");
	}

	@Test
	void mixinOutsideTheLockIsRejected() {
		assertThat(failureOf(OuterMixin.class)).isInstanceOf(InvalidLockedMethodException.class)
			.hasMessageContaining("Payments.pay(String)' cannot be locked: ");
	}

	@Test
	void mistakesInRepositoriesFailStartup() {
		assertThat(failureOf(WrongRepositories.class)).isInstanceOf(InvalidLockedMethodException.class)
			.hasMessageContainingAll("WrongArticles.findByName(String)", "#typo");
	}

	@Test
	void repositoryCreatedTooEarlyIsRejected() {
		assertThat(failureOf(EarlyRepository.class)).isInstanceOf(InvalidLockedMethodException.class)
			.hasMessageContainingAll("Articles.", "bean 'lockedInterfacesTests.Articles' has no proxy");
	}

	@Test
	void leaderOnlyMethodsOfARepositoryAreSkipped() {
		try (LockedContext context = LockedContext.of(LeaderOnlyRepositories.class)) {
			LedArticles articles = context.get(LedArticles.class);
			articles.save(new Article("7", "pen"));

			assertThat(articles.findByName("pen")).isEmpty();
			assertThat(articles.findById("7")).isPresent();
		}
	}

	private static Throwable failureOf(Class<?> configuration) {
		return NestedExceptionUtils.getMostSpecificCause(catchThrowable(() -> LockedContext.of(configuration).close()));
	}

	record Article(@Id String sku, String name) {

	}

	@NoRepositoryBean
	interface Base<T, I> extends KeyValueRepository<T, I> {

		@DistributedLock(name = "base", key = "#id")
		default boolean existsInBase(I id) {
			return existsById(id);
		}

		@DistributedLock(name = "base", key = "#sku")
		List<T> findBySku(String sku);

	}

	interface Articles extends Base<Article, String> {

		@Override
		@DistributedLock("save")
		<S extends Article> S save(S article);

		@DistributedLock(key = "#name")
		List<Article> findByName(String name);

		@DistributedLock(name = "article", key = "#sku", fallback = "refused")
		default String rename(String sku, String name) {
			save(new Article(sku, name));
			return name;
		}

		default String refused(String sku, String name) {
			return "refused";
		}

	}

	interface WrongArticles extends KeyValueRepository<Article, String> {

		@DistributedLock(key = "#typo")
		List<Article> findByName(String name);

	}

	interface LedArticles extends KeyValueRepository<Article, String> {

		@LeaderOnly("mailer")
		List<Article> findByName(String name);

	}

	@Configuration(proxyBeanMethods = false)
	@EnableMapRepositories(considerNestedRepositories = true,
			includeFilters = @ComponentScan.Filter(type = FilterType.ASSIGNABLE_TYPE, classes = Articles.class))
	static class Repositories {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableMapRepositories(considerNestedRepositories = true,
			includeFilters = @ComponentScan.Filter(type = FilterType.ASSIGNABLE_TYPE, classes = WrongArticles.class))
	static class WrongRepositories {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableMapRepositories(considerNestedRepositories = true,
			includeFilters = @ComponentScan.Filter(type = FilterType.ASSIGNABLE_TYPE, classes = LedArticles.class))
	static class LeaderOnlyRepositories {

		@Bean
		LockLeadership mailerLeadership() {
			LockLeadership leadership = new LockLeadership("mailer",
					new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults()));
			leadership.setAutoStartup(false);
			return leadership;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyRepository extends Repositories {

		@Bean
		static BeanFactoryPostProcessor early(Articles articles) {
			return (beanFactory) -> {
			};
		}

	}

	interface Payments {

		@DistributedLock(name = "pay", key = "#id", fallback = "later")
		String pay(String id);

		default String later(String id) {
			return "later";
		}

		default void refund() {
		}

	}

	interface OtherPayments {

		String pay(String id);

	}

	static class Cheque implements OtherPayments {

		@Override
		@DistributedLock(name = "cheque", key = "#id")
		public String pay(String id) {
			return "paid";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Around {

		@Bean
		Cheque cheque() {
			return new Cheque();
		}

		@Bean
		OtherPayments around(@Qualifier("cheque") OtherPayments cheque) {
			return ProxyFactory.getProxy(OtherPayments.class, new SingletonTargetSource(cheque));
		}

		@Bean
		ProxyFactoryBean aroundByFactory(@Qualifier("cheque") OtherPayments cheque) {
			ProxyFactoryBean factory = new ProxyFactoryBean();
			factory.setTarget(cheque);
			return factory;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AroundUnlocked {

		@Bean
		OtherPayments around() {
			return ProxyFactory.getProxy(OtherPayments.class, new SingletonTargetSource(new Cheque()));
		}

	}

	static class Cash {

		@DistributedLock("count")
		public void count() {
		}

	}

	static class Coins {

		public void count() {
		}

	}

	static class Mixin extends DelegatingIntroductionInterceptor implements Payments {

		@Override
		public String pay(String id) {
			return "paid";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Proxies {

		private static final MethodInterceptor PAID = (invocation) -> invocation.getMethod().getName().equals("pay")
				? "paid" : null;

		@Bean
		FactoryBean<Payments> ofFactory() {
			return new FactoryBean<>() {

				@Override
				public Payments getObject() {
					return own();
				}

				@Override
				public Class<?> getObjectType() {
					return Payments.class;
				}

			};
		}

		@Bean
		ProxyFactoryBean withoutTarget() {
			ProxyFactoryBean factory = new ProxyFactoryBean();
			factory.setInterfaces(Payments.class);
			factory.addAdvice(PAID);
			return factory;
		}

		@Bean
		Payments aroundOther() {
			ProxyFactory factory = new ProxyFactory(Payments.class, PAID);
			factory.setTarget(new Coins());
			return (Payments) factory.getProxy();
		}

		@Bean
		Payments aroundOwn() {
			return own();
		}

		@Bean
		OtherPayments withSecond() {
			ProxyFactory factory = new ProxyFactory(new Coins());
			factory.setInterfaces(OtherPayments.class, Payments.class);
			factory.addAdvice(PAID);
			return (OtherPayments) factory.getProxy();
		}

		private static Payments own() {
			return (Payments) Proxy.newProxyInstance(Payments.class.getClassLoader(), new Class<?>[] { Payments.class },
					(proxy, method, arguments) -> switch (method.getName()) {
						case "pay" -> "paid";
						case "hashCode" -> 7;
						default -> null;
					});
		}

	}

	static class LateFactory implements FactoryBean<Payments> {

		private boolean ready;

		@Override
		public Payments getObject() {
			Assert.state(this.ready, "not ready");
			return Proxies.own();
		}

		@Override
		public Class<?> getObjectType() {
			return Payments.class;
		}

	}

	static class CoinsFactory implements FactoryBean<Coins> {

		private int products;

		@Override
		public Coins getObject() {
			this.products++;
			return new Coins();
		}

		@Override
		public Class<?> getObjectType() {
			return Coins.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MixedIn {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		DefaultIntroductionAdvisor mixin() {
			return new DefaultIntroductionAdvisor(new Mixin(), Payments.class) {

				@Override
				public boolean matches(Class<?> type) {
					return type == Cash.class || type == Coins.class;
				}

			};
		}

		@Bean
		Cash cash() {
			return new Cash();
		}

	}

	static class UnlockedMixin extends MixedIn {

		@Bean
		Coins coins() {
			return new Coins();
		}

	}

	static class OuterMixin extends MixedIn {

		@Override
		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		DefaultIntroductionAdvisor mixin() {
			DefaultIntroductionAdvisor mixin = super.mixin();
			mixin.setOrder(0);
			return mixin;
		}

	}

}
