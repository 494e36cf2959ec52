package io.github.redislock.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.stream.Stream;

import io.github.redislock.LockContext;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.EnableDistributedLocks;
import io.github.redislock.internal.interceptor.LockedMethods;
import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.InputStreamResource;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@ExtendWith(OutputCaptureExtension.class)
class DistributedLockAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(RedisLockAutoConfiguration.class,
				RedisLockStoreAutoConfiguration.class, DistributedLockAutoConfiguration.class,
				RedisLockDisabledAutoConfiguration.class, AopAutoConfiguration.class))
		.withPropertyValues("redis-lock.store=in-memory", "redis-lock.wait-time=20s");

	@ParameterizedTest
	@ValueSource(strings = { "spring.aop.auto=true", "spring.aop.auto=false", "spring.aop.proxy-target-class=false",
			"spring.aop.auto=false,spring.aop.proxy-target-class=false" })
	void annotatedMethodIsLockedBehindEachKindOfProxy(String properties) {
		this.runner.withPropertyValues(properties.split(",")).withBean(AnnotatedWork.class).run((context) -> {
			Work work = context.getBean(Work.class);

			assertThat(work.lock()).isEqualTo("work");
			assertThatIllegalStateException().isThrownBy(LockContext::current);
			assertThat(AopUtils.isJdkDynamicProxy(work)).isEqualTo(properties.contains("class=false"));
		});
	}

	@Test
	void responsesThatAreWrittenAfterTheMethodFailStartup() {
		this.runner.withBean(LateResponses.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidLockedMethodException.class,
						(failure) -> assertThat(Stream.concat(Stream.of(failure), Stream.of(failure.getSuppressed())))
							.hasSize(5)
							.allSatisfy((each) -> assertThat(each).hasMessageContainingAll(
									"it returns ResponseEntity with ", " after the lock is released."))));
	}

	@Test
	void responseOfAnyTypeIsCheckedAtTheCall() {
		this.runner.withBean(Responding.class).run((context) -> {
			Responding bean = context.getBean(Responding.class);
			StreamingResponseBody streaming = (stream) -> {
			};

			assertThatIllegalStateException().isThrownBy(() -> bean.respond(streaming))
				.withMessageStartingWith("Lock 'respond' does not protect all of its work, which returned"
						+ " org.springframework.http.ResponseEntity with ")
				.withMessageContaining(", whose work continues after the lock is released.");
			assertThatIllegalStateException().isThrownBy(() -> bean.respond(new SseEmitter()));
			assertThat(bean.respond("text").getBody()).isEqualTo("text");
			assertThat(bean.respond(null).getBody()).isNull();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "true", "TRUE", "yes", "on" })
	void severalSpellingsOfTrueEnableLocks(String yes) {
		this.runner.withPropertyValues("redis-lock.enabled=" + yes)
			.withBean(Remembering.class)
			.run((context) -> assertThat(context.getBean(Remembering.class).name("7")).isEqualTo("remembering:7"));
	}

	@Test
	void warningForDisabledLocksIncludesMethodsOfLockedTypes(CapturedOutput output) {
		this.runner.withPropertyValues("redis-lock.enabled=false")
			.withBean(LockedAsAWhole.class)
			.run((context) -> assertThat(output).contains("these methods run unlocked: "
					+ LockedAsAWhole.class.getName() + ".one(), " + LockedAsAWhole.class.getName() + ".two()"));
	}

	@Test
	void methodsOfHttpClientsAreLocked() {
		this.runner.withBean(PriceClient.class, DistributedLockAutoConfigurationTests::priceClient)
			.run((context) -> assertThat(context.getBean(PriceClient.class).price("7")).isEqualTo("under price:7"));
	}

	@Test
	void warningForDisabledLocksIncludesMethodsOfProxies(CapturedOutput output) {
		PriceClient withTarget = ProxyFactory.getProxy(PriceClient.class, new SingletonTargetSource("target"));
		this.runner.withPropertyValues("redis-lock.enabled=false")
			.withBean(PriceClient.class, () -> withTarget)
			.run((context) -> assertThat(output)
				.contains("these methods run unlocked: " + PriceClient.class.getName() + ".price(String)"));
	}

	/**
	 * Return a client whose response names the lock that is held for the request.
	 */
	private static PriceClient priceClient() {
		RestClient client = RestClient.builder()
			.baseUrl("http://localhost")
			.requestInterceptor((request, body, execution) -> {
				String lock = LockContext.current().name();
				return new MockClientHttpResponse(("under " + lock).getBytes(StandardCharsets.UTF_8), HttpStatus.OK);
			})
			.build();
		return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client))
			.build()
			.createClient(PriceClient.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "false", "off" })
	void disabledMethodsRunUnlockedWithOneWarning(String no, CapturedOutput output) {
		this.runner.withPropertyValues("redis-lock.enabled=" + no)
			.withBean(AnnotatedWork.class)
			.withBean("lazy", LazyWork.class, LazyWork::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> {
				assertThatIllegalStateException().isThrownBy(context.getBean(Work.class)::lock)
					.withMessageStartingWith("No lock is held");
				assertThat(output.getOut().split("redis-lock.enabled=false", -1)).hasSize(2);
				assertThat(output).contains("these methods run unlocked: " + AnnotatedWork.class.getName() + ".lock");
				assertThat(output).doesNotContain(LazyWork.class.getName());

				context.getBean(LazyWork.class);

				assertThat(output).contains("these methods run unlocked: " + LazyWork.class.getName() + ".later");
			});
	}

	@Test
	void exclusionOfTheAutoConfigurationIsReported(CapturedOutput output) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(RedisLockAutoConfiguration.class,
					RedisLockStoreAutoConfiguration.class, RedisLockDisabledAutoConfiguration.class))
			.withPropertyValues("redis-lock.store=in-memory")
			.withBean(LockedAsAWhole.class)
			.run((context) -> assertThat(output).contains("Locks are switched off by the exclusion of"
					+ " DistributedLockAutoConfiguration, so these methods run unlocked: "));
	}

	@Test
	void methodsOfAChildContextAreLocked() {
		this.runner.run((parent) -> this.runner.withParent(parent)
			.withBean(Remembering.class)
			.run((context) -> assertThat(context.getBean(Remembering.class).name("7")).isEqualTo("remembering:7")));
	}

	@Test
	void disabledLocksCauseNoWarningWithoutLockedMethods(CapturedOutput output) {
		this.runner.withPropertyValues("redis-lock.enabled=false")
			.run((context) -> assertThat(output).doesNotContain("redis-lock.enabled"));
	}

	@Test
	void noBeanIsCreatedTooEarly(CapturedOutput output) {
		this.runner.withBean(AnnotatedWork.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).doesNotContain("not eligible");
		});
	}

	@Test
	void annotationOfTheApplicationTakesPrecedence() {
		this.runner.withUserConfiguration(Enabled.class)
			.run((context) -> assertThat(context.getBean(LockedMethods.class).getOrder()).isEqualTo(18));
	}

	@Test
	void lockedMethodsWorkWithLazyInitialization() {
		this.runner
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withBean(Remembering.class)
			.run((context) -> assertThat(context.getBean(Remembering.class).name("7")).isEqualTo("remembering:7"));
	}

	interface Work {

		String lock();

	}

	static class AnnotatedWork implements Work {

		@Override
		@DistributedLock("work")
		public String lock() {
			return LockContext.current().name();
		}

	}

	static class LateResponses {

		@DistributedLock
		ResponseEntity<StreamingResponseBody> streaming() {
			throw new UnsupportedOperationException();
		}

		@DistributedLock
		ResponseEntity<SseEmitter> emitting() {
			throw new UnsupportedOperationException();
		}

		@DistributedLock
		ResponseEntity<CompletableFuture<String>> promising() {
			throw new UnsupportedOperationException();
		}

		@DistributedLock
		ResponseEntity<? extends Flow.Publisher<String>> publishing() {
			throw new UnsupportedOperationException();
		}

		@DistributedLock
		ResponseEntity<InputStreamResource> downloading() {
			throw new UnsupportedOperationException();
		}

	}

	static class Responding {

		@DistributedLock(name = "respond")
		ResponseEntity<?> respond(@Nullable Object body) {
			return ResponseEntity.ok(body);
		}

	}

	static class LazyWork {

		@DistributedLock
		void later() {
		}

	}

	@DistributedLock
	public static class LockedAsAWhole {

		public void one() {
		}

		public void two() {
		}

	}

	static class Remembering {

		@DistributedLock(name = "remembering", key = "#id")
		String name(String id) {
			return LockContext.current().name();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks(order = 18)
	static class Enabled {

	}

	interface PriceClient {

		@DistributedLock(name = "price", key = "#id")
		@GetExchange("/prices/{id}")
		String price(@PathVariable("id") String id);

	}

}
