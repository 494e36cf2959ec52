package io.github.redislock.autoconfigure;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.redislock.LockContext;
import io.github.redislock.LockOperations;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.IfLocked;
import io.github.redislock.testing.OwnThread;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.event.EventListener;
import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Beans that users declare wrongly, or in a way that only seems wrong. Each is refused or
 * reported, or its lock is held.
 */
@ExtendWith(OutputCaptureExtension.class)
class MistakesInDeclarationsTests {

	@ParameterizedTest(name = "{0}")
	@MethodSource("declarations")
	void declarationIsRefusedOrReportedOrWorks(String what, Class<?> declared, CapturedOutput output) throws Exception {
		Mistake mistake = declared.getAnnotation(Mistake.class);
		if (mistake.refused().length > 0) {
			assertThat(FailureAnalysisTests.start(output, application(declared), mistake.with()))
				.contains("cannot be locked: ")
				.contains(mistake.refused());
			return;
		}
		int before = output.length();
		try (ConfigurableApplicationContext context = application(declared).run(mistake.with())) {
			if (Use.class.isAssignableFrom(declared)) {
				Use use = (Use) declared.getDeclaredConstructor().newInstance();
				if (mistake.fails().isEmpty()) {
					assertThat(use.use(context)).isEqualTo(mistake.locks());
				}
				else {
					assertThatThrownBy(() -> use.use(context)).rootCause().hasMessageContaining(mistake.fails());
				}
			}
		}
		assertThat(problems(output.toString().substring(before))).hasSize(mistake.logged().isEmpty() ? 0 : 1)
			.allMatch((line) -> line.contains(mistake.logged()));
	}

	static Stream<Arguments> declarations() {
		return Stream.of(MistakesInDeclarationsTests.class.getDeclaredClasses())
			.filter((declared) -> declared.isAnnotationPresent(Mistake.class))
			.map((declared) -> arguments(declared.getAnnotation(Mistake.class).value(), declared));
	}

	private static SpringApplicationBuilder application(Class<?> declared) {
		return new SpringApplicationBuilder(FailureAnalysisTests.Application.class, declared)
			.web(WebApplicationType.NONE)
			.properties("redis-lock.store=in-memory", "spring.main.banner-mode=off");
	}

	private static List<String> problems(String output) {
		return output.lines()
			.filter((line) -> line.contains(" WARN ") || line.contains("Exception: "))
			.filter((line) -> !line.contains("only in the memory of this process"))
			// Spring's own warning, whose level depends on the tests before.
			.filter((line) -> !line.contains("BeanPostProcessorChecker"))
			.toList();
	}

	private static String held() {
		return LockContext.current().name();
	}

	/**
	 * A bean that is declared wrongly, or only seems to be, and what its author is told.
	 */
	@Retention(RetentionPolicy.RUNTIME)
	@interface Mistake {

		/** What was done. */
		String value();

		/** Arguments of the application. */
		String[] with() default {};

		/** Texts in the report of a startup that fails. */
		String[] refused() default {};

		/** Text of the only warning. */
		String logged() default "";

		/** Message of the exception with which {@link Use} fails. */
		String fails() default "";

		/** The lock that is held inside {@link Use}. */
		String locks() default "";

	}

	interface Use {

		String use(ApplicationContext context) throws Exception;

	}

	static class Till {

		@DistributedLock("till")
		public String pay() {
			return held();
		}

	}

	interface UsesTill extends Use {

		@Override
		default String use(ApplicationContext context) {
			return context.getBean(Till.class).pay();
		}

	}

	@Mistake(value = "a method that the interface of a JDK proxy does not have",
			with = "--spring.aop.proxy-target-class=false",
			refused = { "the bean's proxy implements only interfaces, and none of them has this method",
					"Add the method to an interface of the bean, or use class proxies" })
	static class BesideItsInterface implements Callable<String> {

		@Override
		public String call() {
			return "";
		}

		@DistributedLock
		public void pay() {
		}

	}

	@Mistake(value = "a record as a bean",
			refused = { "its class is a record, and a proxy cannot extend it", "Open the class for extension" })
	record Recorded() {

		@DistributedLock
		public void pay() {
		}

	}

	@Mistake(value = "a final method in a class with a lock",
			refused = { "it is final", "Its lock was declared on '", "declare the lock on individual methods" })
	@DistributedLock
	static class FinalOfClass {

		public final void pay() {
		}

	}

	@Mistake(value = "a private method of a prototype", fails = "it is private, and a proxy cannot intercept it")
	static class Prototype implements Use {

		@Override
		public String use(ApplicationContext context) {
			return context.getBean(Hidden.class).toString();
		}

		@Bean
		@Scope("prototype")
		Hidden hidden() {
			return new Hidden();
		}

		@SuppressWarnings("unused")
		static class Hidden {

			@DistributedLock
			private void pay() {
			}

		}

	}

	@Mistake(value = "a bean that a post-processor needs", locks = "till")
	static class NeededEarly implements UsesTill {

		@Bean
		static Till till() {
			return new Till();
		}

		@Bean
		static BeanPostProcessor processor(Till till) {
			return new BeanPostProcessor() {
			};
		}

	}

	@Mistake(value = "the product of a factory", locks = "till")
	static class Product implements UsesTill {

		@Bean
		FactoryBean<Till> till() {
			return new FactoryBean<>() {

				@Override
				public Till getObject() {
					return new Till();
				}

				@Override
				public Class<?> getObjectType() {
					return Till.class;
				}

			};
		}

	}

	@Mistake(value = "an override without the annotation", locks = "till")
	static class Overriding extends Till implements UsesTill {

		@Override
		public String pay() {
			return super.pay();
		}

	}

	@Mistake(value = "a call on itself", logged = "CallsItself.order', because a call within the same object bypasses")
	static class CallsItself extends Till {

		public String order() {
			return pay();
		}

	}

	@Mistake(value = "a reference to itself", logged = ".pay()' runs without its lock when called by '")
	static class RefersToItself extends Till {

		public Callable<String> order() {
			return this::pay;
		}

	}

	@Mistake(value = "an injected reference to itself", locks = "till")
	static class InjectedItself extends Till implements Use {

		@Autowired
		@Lazy
		@Nullable InjectedItself self;

		@Override
		public String use(ApplicationContext context) {
			return context.getBean(InjectedItself.class).order();
		}

		String order() {
			return (this.self != null) ? this.self.pay() : "";
		}

	}

	@Mistake(value = "a package-private listener", locks = "event")
	static class Listening implements Use {

		private static String locked = "";

		@Override
		public String use(ApplicationContext context) {
			context.publishEvent("an event");
			return locked;
		}

		@EventListener
		@DistributedLock("event")
		void on(String event) {
			locked = held();
		}

	}

	@Mistake(value = "an asynchronous method that nobody waits for",
			logged = "Lock 'async' not acquired within 300ms: held by application@")
	@EnableAsync
	static class Asynchronous implements Use {

		@Override
		public String use(ApplicationContext context) {
			Asynchronous bean = context.getBean(Asynchronous.class);
			LockOperations locks = context.getBean(LockOperations.class);
			locks.execute("async", () -> CompletableFuture.runAsync(bean::run, OwnThread::run).join());
			return "";
		}

		@Async
		@DistributedLock("async")
		void run() {
		}

		@Bean
		Executor taskExecutor() {
			return new SyncTaskExecutor();
		}

	}

	@Mistake(value = "durations that are none",
			refused = { "its timeout '5 minutes' is not a duration", "its timeout 'forever' is not a duration",
					"its waitTime '5' is not a duration: it has no unit", "Write a number with a unit, as in '500ms'",
					"its timeout '5ms' is out of range: timeout must be at least 10ms but is 5ms",
					"its atLeastFor '-5s' is out of range", "Use a duration within this limit" })
	static class Durations {

		@DistributedLock(timeout = "5 minutes")
		void words() {
		}

		@DistributedLock(timeout = "forever")
		void endless() {
		}

		@DistributedLock(waitTime = "5")
		void number() {
		}

		@DistributedLock(timeout = "5ms")
		void tooShort() {
		}

		@DistributedLock(atLeastFor = "-5s")
		void negative() {
		}

	}

	@Mistake(value = "an endless waiting time", locks = "patient")
	static class Patient implements Use {

		@Override
		public String use(ApplicationContext context) {
			return context.getBean(Patient.class).pay();
		}

		@DistributedLock(name = "patient", waitTime = "Forever")
		String pay() {
			return held();
		}

	}

	@Mistake(value = "numbers and combinations",
			refused = { "its permits '#n' is not a valid number", "its maxWaiters is -5",
					"it has ifLocked = SKIP, but it returns boolean, which has no value for a skipped call",
					"its fallback 'itself' cannot be used because it is locked itself" })
	static class Combinations {

		@DistributedLock(permits = "#n")
		void permits(int n) {
		}

		@DistributedLock(maxWaiters = -5)
		void waiters() {
		}

		@DistributedLock(ifLocked = IfLocked.SKIP)
		boolean skipped() {
			return true;
		}

		@DistributedLock(fallback = "itself")
		void itself() {
		}

	}

	@Mistake(value = "names from properties without a value",
			refused = { "its name '${spring.profiles.active}:x' has a placeholder without a value",
					"its lock name must not be blank", "give a default as in '${some.name:orders}'" })
	static class Placeholders {

		@DistributedLock("${spring.profiles.active}:x")
		void missing() {
		}

		@DistributedLock(name = "${app.lock:}", key = "#id")
		void blank(String id) {
		}

	}

	@Mistake(value = "a name from a property with two values", with = "--spring.profiles.active=a,b", locks = "a,b:x")
	static class Profiles implements Use {

		@Override
		public String use(ApplicationContext context) {
			return context.getBean(Profiles.class).pay();
		}

		@DistributedLock("${spring.profiles.active}:x")
		String pay() {
			return held();
		}

	}

	@Mistake(value = "results with which work goes on",
			refused = { "it returns ResponseEntity with CompletableFuture, whose work continues after",
					"it returns List with CompletableFuture, whose work", "it returns Stream, which is read after",
					"it returns Supplier, which is called after" })
	static class Results {

		@DistributedLock
		@Nullable ResponseEntity<CompletableFuture<String>> response() {
			return null;
		}

		@DistributedLock
		List<CompletableFuture<String>> futures() {
			return List.of();
		}

		@DistributedLock
		Stream<String> stream() {
			return Stream.of();
		}

		@DistributedLock
		Supplier<String> supplier() {
			return () -> "";
		}

	}

	@Mistake(value = "one name with and without a key",
			logged = "declare the lock 'stock', but only one of them has a key: they do not exclude each other")
	static class HalfKeyed {

		@DistributedLock("stock")
		void count() {
		}

		@DistributedLock(name = "stock", key = "#id")
		void take(String id) {
		}

	}

}
