package io.github.redislock.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Date;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import io.github.redislock.LockMode;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.reactivex.rxjava3.core.Single;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.io.InputStreamResource;
import org.springframework.data.domain.Page;
import org.springframework.data.redis.core.Cursor;
import org.springframework.data.util.Streamable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.fail;

class RefusedMethodsTests {

	@Test
	void startupFailureReportsMethodProblemAndAction() {
		List<InvalidLockedMethodException> failures = failuresOf(Invalid.class);
		Stream<Method> refused = Stream.of(Invalid.class.getDeclaredMethods())
			.filter((method) -> method.isAnnotationPresent(Because.class));

		assertThat(refused).hasSizeGreaterThan(50).allSatisfy((method) -> {
			Because because = method.getAnnotation(Because.class);
			String start = "Method '" + Invalid.class.getName() + "." + method.getName() + "(";
			InvalidLockedMethodException failure = failures.stream()
				.filter((one) -> one.getDescription().startsWith(start))
				.findFirst()
				.orElseThrow();

			assertThat(failure.getDescription()).contains(because.problem()).endsWith(".");
			assertThat(failure.getAction()).contains(because.action()).endsWith(".");
			assertThat(failure).hasMessage(failure.getDescription() + " " + failure.getAction());
		});
	}

	@Test
	void typesWhoseValuesAreCompleteAreLocked() {
		try (LockedContext context = LockedContext.of(CompleteResults.class)) {
			assertThat(context.get(CompleteResults.class).page()).isEmpty();

			assertThat(context.locks().names).containsExactly("page");
		}
	}

	@Test
	void typeThatASubclassSetsIsRejected() {
		assertThat(failureOf(Concrete.class).getDescription())
			.contains("it returns ArrayList with Iterator, which is read after the lock is released");
	}

	@Test
	void privateMethodOfAnInterfaceIsRejected() {
		assertThat(failureOf(WithPrivateFace.class).getDescription())
			.contains("hidden()' cannot be locked: a proxy cannot intercept 'private void ");
	}

	@Test
	void allInvalidMethodsOfAClassAreReported() {
		InvalidLockedMethodException failure = failureOf(TwoProblems.class);

		assertThat(failure).hasMessageContaining(".a()");
		assertThat(failure.getSuppressed()).singleElement()
			.asInstanceOf(InstanceOfAssertFactories.THROWABLE)
			.hasMessageContaining(".b()");
	}

	@Test
	void missingParameterNamesAreExplained(@TempDir Path directory) throws Exception {
		Class<?> compiled = compileWithoutNames(directory);

		InvalidLockedMethodException failure = failureOf(compiled);

		assertThat(failure.getDescription()).contains("Nameless.m(String)")
			.contains("its key '#id' uses '#id', which does not exist")
			.contains("'#p0'");
		assertThat(failure.getAction()).contains("<maven.compiler.parameters>true</maven.compiler.parameters>")
			.contains("Gradle: options.compilerArgs << '-parameters'");
	}

	@ParameterizedTest
	@ValueSource(classes = { AfterPropertiesSet.class, Destroy.class, InitMethod.class, DestroyMethod.class,
			Wired.class, Located.class, Closed.class, ShutDown.class })
	void methodsThatTheContainerCallsAreRejected(Class<?> bean) {
		InvalidLockedMethodException failure = failureOf(bean);

		assertThat(failure.getDescription())
			.contains("the container calls it directly, not through the proxy, when it creates or destroys the bean");
		assertThat(failure.getAction()).contains("CommandLineRunner")
			.contains("@EventListener(ApplicationReadyEvent.class)")
			.contains("@EventListener(ContextClosedEvent.class)");
	}

	@ParameterizedTest
	@ValueSource(classes = { ClosedByCallers.class, ClosedPrototype.class })
	void methodThatOnlyCallersCallIsLocked(Class<?> beans) {
		try (LockedContext context = LockedContext.of(beans)) {
			context.get(Closed.class).close();

			assertThat(context.locks().names).containsExactly("closed");
		}
	}

	@Test
	void overloadOfAContainerCallbackIsLocked() {
		try (LockedContext context = LockedContext.of(Overload.class)) {
			context.get(Overload.class).destroy("a");

			assertThat(context.locks().names).containsExactly("overload");
		}
	}

	@Test
	void methodOutsideTheInterfacesOfAJdkProxyIsRejected() {
		InvalidLockedMethodException failure = failureOf(BehindInterface.class);

		assertThat(failure.getDescription()).contains(".other(String)")
			.contains("the bean's proxy implements only interfaces");
		assertThat(failure.getAction()).contains("proxyTargetClass = true");
	}

	@ParameterizedTest
	@ValueSource(classes = { FinalBehindInterface.class, FinalMethodBehindInterface.class })
	void finalClassOrMethodIsRejectedOnlyWithClassProxies(Class<?> bean) {
		try (LockedContext context = LockedContext.of(bean)) {
			context.get(Face.class).other();
			assertThat(context.locks().names).containsExactly("final");
		}

		assertThatThrownBy(() -> LockedContext.of(bean, LockedMethodsTests.ClassProxies.class))
			.hasMessageFindingMatch("Could not generate CGLIB subclass|a proxy cannot intercept 'public final void ");
	}

	@ParameterizedTest
	@ValueSource(classes = { FinalClass.class, RecordClass.class, SealedClass.class, HiddenClass.class })
	void classThatCannotBeExtendedFailsStartup(Class<?> bean) {
		assertThatThrownBy(() -> LockedContext.of(bean))
			.hasMessageContaining("Could not generate CGLIB subclass of class " + bean.getName());
	}

	@Test
	void enumIsRejected() {
		InvalidLockedMethodException failure = LockedContext
			.failureOf((context) -> context.registerBean("m", EnumClass.class, () -> EnumClass.ONE));

		assertThat(failure.getDescription()).contains("the bean's proxy implements only interfaces");
	}

	@Test
	void beanCreatedTooEarlyIsRejected() {
		InvalidLockedMethodException failure = failureOf(EarlyConfig.class);

		assertThat(failure.getDescription()).contains(Harmless.class.getName() + ".m()")
			.contains("bean 'early' has no proxy that intercepts it");
		assertThat(failure.getAction()).contains("ObjectProvider");
	}

	@Test
	void aspectIsRejected() {
		InvalidLockedMethodException failure = LockedContext
			.failureOf((context) -> context.register(LockedAspect.class, AspectJProxies.class));

		assertThat(failure.getDescription()).contains("has no proxy that intercepts it");
		assertThat(failure.getAction()).startsWith("An aspect, ").contains("move the method to another bean");
	}

	@Test
	void lazyAspectInACircleIsRejectedOnCreation() {
		try (LockedContext context = LockedContext.of(LazyAspects.class)) {
			assertThat(catchThrowable(() -> context.get(LockedAspect.class)))
				.hasRootCauseInstanceOf(InvalidLockedMethodException.class);
		}
	}

	@Test
	void registeredSingletonWithoutAProxyIsRejected() {
		InvalidLockedMethodException failure = LockedContext
			.failureOf((context) -> context.getBeanFactory().registerSingleton("ready", new Harmless()));

		assertThat(failure.getDescription()).contains("bean 'ready' has no proxy that intercepts it");
	}

	@Test
	void lazyBeanWithAFinalMethodIsRejectedOnCreation() {
		try (LockedContext context = LockedContext.of(Map.of(), (beans) -> beans.registerBean("lazy", FinalMethod.class,
				(definition) -> definition.setLazyInit(true)))) {
			assertThat(catchThrowable(() -> context.get(FinalMethod.class)))
				.hasRootCauseInstanceOf(InvalidLockedMethodException.class);
		}
	}

	@Test
	void packagePrivateMethodOfAnotherPackageIsRejected(@TempDir Path directory) throws Exception {
		Path source = Files.createDirectories(directory.resolve("there")).resolve("Below.java");
		Files.writeString(source,
				"package there; public class Below extends " + PackagePrivateMethod.class.getName() + " { }");
		Class<?> below = compile(directory, source, "there.Below", List.of());

		assertThat(failureOf(below).getDescription()).contains("there.Below.m()")
			.contains("a proxy cannot intercept 'void ");
	}

	@Test
	void missingLockOperationsBeanIsExplained() {
		Throwable failure = catchThrowable(() -> new AnnotationConfigApplicationContext(NoLocks.class).close());

		assertThat(failure).isInstanceOf(LockSetupException.class)
			.hasMessageContainingAll("Locked methods need one bean of type LockOperations: No qualifying bean",
					"Declare one, such as a RedisLockTemplate.");
	}

	@Test
	void severalLockOperationsBeansAreExplained() {
		Throwable failure = catchThrowable(
				() -> LockedContext.of(RecordingLocks.class, WithTemplate.class, Harmless.class).close());

		assertThat(failure).isInstanceOf(LockSetupException.class)
			.hasMessageContainingAll("found 2: ", "locks", "add @Primary");
	}

	@Test
	void severalLockOperationsBeansAreAllowedIfEachMethodNamesOne() {
		try (LockedContext context = LockedContext.of(RecordingLocks.class, WithTemplate.class)) {
			context.get(WithTemplate.class).m();

			assertThat(((RecordingLocks) context.get("locks")).names).containsExactly("named");
		}
	}

	private static List<InvalidLockedMethodException> failuresOf(Class<?> bean) {
		InvalidLockedMethodException failure = failureOf(bean);
		return Stream.concat(Stream.of(failure), Stream.of(failure.getSuppressed()))
			.filter(InvalidLockedMethodException.class::isInstance)
			.map(InvalidLockedMethodException.class::cast)
			.toList();
	}

	private static InvalidLockedMethodException failureOf(Class<?> bean) {
		return LockedContext.failureOf((context) -> context.registerBean("m", bean));
	}

	private static Class<?> compileWithoutNames(Path directory) throws Exception {
		Path source = directory.resolve("Nameless.java");
		Files.writeString(source, """
				public class Nameless {
					@io.github.redislock.annotation.DistributedLock(key = "#id")
					public void m(String id) {
					}
				}
				""");
		return compile(directory, source, "Nameless", List.of("-g:none"));
	}

	private static Class<?> compile(Path directory, Path source, String name, List<String> options) throws Exception {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
			List<String> all = new ArrayList<>(options);
			all.addAll(List.of("-proc:none", "-d", directory.toString(), "-cp", System.getProperty("java.class.path")));
			assertThat(compiler.getTask(null, files, null, all, null, files.getJavaFileObjects(source)).call())
				.isTrue();
		}
		URL[] urls = { directory.toUri().toURL() };
		return new URLClassLoader(urls, RefusedMethodsTests.class.getClassLoader()).loadClass(name);
	}

	interface Prepared extends InitializingBean {

	}

	static class AfterPropertiesSet implements Prepared {

		@Override
		@DistributedLock
		public void afterPropertiesSet() {
			fail("It was called without its lock");
		}

	}

	static class Destroy implements DisposableBean {

		@Override
		@DistributedLock
		public void destroy() {
			fail("It was called without its lock");
		}

	}

	static class Wired {

		@Autowired
		@DistributedLock
		void load(ApplicationContext context) {
			fail("It was called without its lock");
		}

	}

	static class Located implements ApplicationContextAware {

		@Override
		@DistributedLock
		public void setApplicationContext(ApplicationContext context) {
			fail("It was called without its lock");
		}

	}

	static class Closed implements AutoCloseable {

		@Override
		@DistributedLock("closed")
		public void close() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ClosedByCallers {

		@Bean(destroyMethod = "")
		Closed closed() {
			return new Closed();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ClosedPrototype {

		@Bean
		@Scope("prototype")
		Closed closed() {
			return new Closed();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ShutDown {

		@Bean
		Pool pool() {
			return new Pool();
		}

	}

	static class Pool {

		@DistributedLock
		public void shutdown() {
		}

	}

	static class Overload implements DisposableBean {

		@Override
		public void destroy() {
		}

		@DistributedLock(name = "overload")
		public void destroy(String one) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InitMethod {

		@Bean(initMethod = "m")
		Harmless harmless() {
			return new Harmless();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DestroyMethod {

		@Bean(destroyMethod = "m")
		Harmless harmless() {
			return new Harmless();
		}

	}

	@DistributedLock("account")
	@Retention(RetentionPolicy.RUNTIME)
	@interface WithoutAlias {

		String key() default "#id";

		String description() default "";

	}

	@WithoutAlias
	@Retention(RetentionPolicy.RUNTIME)
	@interface AroundWithoutAlias {

	}

	static final class FinalClass {

		@DistributedLock
		void m() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy
	static class AspectJProxies {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy
	static class LazyAspects {

		@Bean
		@Lazy
		LockedAspect locked() {
			return new LockedAspect();
		}

		@Bean
		@Lazy
		Journal journal(LockedAspect locked) {
			return new Journal();
		}

	}

	static class Journal {

	}

	@Aspect
	static class LockedAspect {

		@Autowired(required = false)
		Journal journal;

		@Before("bean(nothing)")
		@DistributedLock
		public void audit() {
		}

	}

	static class HiddenClass {

		private HiddenClass() {
		}

		@DistributedLock
		void m() {
		}

	}

	static class HiddenChild extends HiddenClass {

	}

	record RecordClass() {

		@DistributedLock
		void m() {
		}

	}

	static sealed class SealedClass permits SealedChild {

		@DistributedLock
		void m() {
		}

	}

	static final class SealedChild extends SealedClass {

	}

	enum EnumClass {

		ONE;

		@DistributedLock
		void m() {
		}

	}

	/**
	 * Why a method is refused, and what its author can do.
	 */
	@Retention(RetentionPolicy.RUNTIME)
	@interface Because {

		String problem();

		String action();

	}

	@SuppressWarnings("unused")
	static class Invalid {

		@Because(problem = "a proxy cannot intercept 'private void ", action = "Make it public")
		@DistributedLock
		private void privateMethod() {
		}

		@Because(
				problem = "'io.github.redislock.annotation.RefusedMethodsTests$WithoutAlias.key()' has no effect on its"
						+ " lock",
				action = "Add @AliasFor(annotation = DistributedLock.class, attribute = \"key\") to it")
		@AroundWithoutAlias
		void withoutAlias(String id) {
		}

		@Because(problem = "a proxy cannot intercept 'static void ", action = "neither static nor final")
		@DistributedLock
		static void staticMethod() {
		}

		@Because(problem = "a proxy cannot intercept 'final void ", action = "neither static nor final")
		@DistributedLock
		final void finalMethod() {
		}

		@Because(problem = "its name 'order:#id' has a '#' that is not part of '#{…}'",
				action = "Put the expression into 'key'")
		@DistributedLock("order:#id")
		void hashInName(String id) {
		}

		@Because(problem = "its key '#{#id}' does not parse", action = "not '#{#order.id}'")
		@DistributedLock(key = "#{#id}")
		void templateKey(String id) {
		}

		@Because(problem = "its key ''#{#id}'' does not parse: it is written as a template",
				action = "not '#{#order.id}'")
		@DistributedLock(key = "'#{#id}'")
		void quotedTemplateKey(String id) {
		}

		@Because(problem = "its key ' ' does not parse", action = "Write a SpEL expression")
		@DistributedLock(key = " ")
		void blankKey(String id) {
		}

		@Because(problem = "its name 'a#{#id' does not parse", action = "Correct the expression")
		@DistributedLock("a#{#id")
		void brokenName(String id) {
		}

		@Because(problem = "its key '#id +' does not parse", action = "Write a SpEL expression")
		@DistributedLock(key = "#id +")
		void brokenKey(String id) {
		}

		@Because(problem = "its key '#idd' uses '#idd', which does not exist; there is '#root', '#id', '#p0'",
				action = "Correct the name")
		@DistributedLock(key = "#idd")
		void unknownInKey(String id) {
		}

		@Because(problem = "uses '#other', which does not exist", action = "Correct the name")
		@DistributedLock("a:#{#id}:#{#other}")
		void unknownInTemplate(String id) {
		}

		@Because(problem = "uses '#other', which does not exist", action = "Correct the name")
		@DistributedLock(key = "#ids.^[#this == #other]")
		void unknownInSelection(List<String> ids) {
		}

		@Because(problem = "uses '#p1', which does not exist", action = "Correct the name")
		@DistributedLock(key = "#p1")
		void numberTooHigh(String id) {
		}

		@Because(problem = "uses '#root.id', which does not exist", action = "methodName")
		@DistributedLock(key = "#root.id")
		void unknownRoot(String id) {
		}

		@Because(problem = "uses 'id' without the parameter that has it", action = "Write '#id' if it is a parameter")
		@DistributedLock(key = "id")
		void forgottenHash(String id) {
		}

		@Because(problem = "uses 'id' without the parameter that has it", action = "Write '#id' if it is a parameter")
		@DistributedLock(key = "#id.concat(id)")
		void forgottenHashInArgument(String id) {
		}

		@Because(problem = "calls 'trim()' without an object", action = "Call it on a parameter")
		@DistributedLock(key = "trim()")
		void forgottenOwner(String id) {
		}

		@Because(problem = "its key '#root' is the call itself", action = "one value")
		@DistributedLock(key = "#root")
		void wholeCall(String id) {
		}

		@Because(problem = "uses a type, 'T(java.lang.String)'", action = "Use only the parameters")
		@DistributedLock(key = "T(java.lang.String).valueOf(#id)")
		void typeInKey(String id) {
		}

		@Because(problem = "uses a constructor", action = "Use only the parameters")
		@DistributedLock("a:#{new String(#id)}")
		void constructorInName(String id) {
		}

		@Because(problem = "uses a bean, '@locks'", action = "Use only the parameters")
		@DistributedLock(key = "@locks.onlyName() + #id")
		void beanInKey(String id) {
		}

		@Because(problem = "uses an assignment", action = "Use only the parameters")
		@DistributedLock(key = "#id = 'x'")
		void assignmentInKey(String id) {
		}

		@Because(problem = "uses a function", action = "Use only the parameters")
		@DistributedLock(key = "#id(1)")
		void functionInKey(String id) {
		}

		@Because(problem = "uses the class of an object", action = "Use only the parameters")
		@DistributedLock(key = "#id.class.name")
		void classInKey(String id) {
		}

		@Because(problem = "is a java.util.List, but names one lock", action = "'#ids[0]'")
		@DistributedLock("job:#{#ids}")
		void listInName(List<String> ids) {
		}

		@Because(problem = "is a java.util.Collection, but names one lock", action = "Name the lock by one value")
		@DistributedLock("job:#{#ids.![length()]}")
		void projectionInName(List<String> ids) {
		}

		@Because(problem = "is a java.util.Collection, but names one lock", action = "Name the lock by one value")
		@DistributedLock("job:#{{#id, 'a'}}")
		void inlineListInName(String id) {
		}

		@Because(problem = "for a map, write '.keySet()'", action = "Name the lock by one value")
		@DistributedLock(key = "#ids")
		void mapKey(Map<String, String> ids) {
		}

		@Because(problem = "is a java.util.Map, which is neither", action = "let 'key' be a collection")
		@DistributedLock(key = "{'a': #id}")
		void inlineMapKey(String id) {
		}

		@Because(problem = "is a java.util.Date, whose text depends on the time zone: use '.time'",
				action = "Name the lock by one value")
		@DistributedLock(key = "#when")
		void dateKey(Date when) {
		}

		@Because(problem = "is a java.time.ZonedDateTime[], but names one lock", action = "Name the lock by one value")
		@DistributedLock("job:#{#when}")
		void arrayInName(ZonedDateTime[] when) {
		}

		@Because(problem = "is a int[], but names one lock", action = "Name the lock by one value")
		@DistributedLock(key = "#ids")
		void nestedArrayKey(int[][] ids) {
		}

		@Because(problem = "its name '${no.such.name}' has a placeholder without a value",
				action = "default as in '${some.name:orders}'")
		@DistributedLock("${no.such.name}")
		void missingPlaceholder() {
		}

		@Because(problem = "its lock name must not be blank", action = "another name")
		@DistributedLock(name = "${app.lock:}", key = "#id")
		void blankName(String id) {
		}

		@Because(problem = "its lock name must not contain control characters but contains U+000A",
				action = "another name")
		@DistributedLock(name = "two\nlines", key = "#id")
		void lineBreakInName(String id) {
		}

		@Because(problem = "its timeout 'forever' is not a duration", action = "'30s'")
		@DistributedLock(timeout = "forever")
		void wrongDuration() {
		}

		@Because(problem = "its timeout '30' is not a duration: it has no unit", action = "'30s'")
		@DistributedLock(timeout = "30")
		void noUnit() {
		}

		@Because(problem = "its timeout '1ms' is out of range", action = "Use a duration within this limit")
		@DistributedLock(timeout = "1ms")
		void shortTimeout() {
		}

		@Because(problem = "its atLeastFor '-1s' is out of range", action = "Use a duration within this limit")
		@DistributedLock(atLeastFor = "-1s")
		void negativeAtLeast() {
		}

		@Because(problem = "its maxWaiters is -2", action = "Use 0")
		@DistributedLock(maxWaiters = -2)
		void negativeNumberOfWaiters() {
		}

		@Because(problem = "its permits '${app.none:0}' is not a valid number: it admits no caller",
				action = "at least 1")
		@DistributedLock(permits = "${app.none:0}")
		void permitsBelowOne() {
		}

		@Because(problem = "it only reads (mode = READ) and has permits = '${app.exports:3}'",
				action = "Remove one of the two")
		@DistributedLock(mode = LockMode.READ, permits = "${app.exports:3}")
		void countedReaders() {
		}

		@Because(problem = "its permits '#{@limits.exports}' is not a valid number",
				action = "use LockOperations.execute with LockTarget.permits")
		@DistributedLock(permits = "#{@limits.exports}")
		void expressionAsPermits() {
		}

		@Because(problem = "its key '#ids' is a java.util.List, but names one lock", action = "one value")
		@DistributedLock(mode = LockMode.READ, key = "#ids")
		void sharedList(List<String> ids) {
		}

		@Because(problem = "only the whole 'key' of an exclusive lock may be several values",
				action = "needs exclusive locks")
		@DistributedLock(mode = LockMode.READ, key = "#ids.![toString()]")
		void sharedProjection(Object ids) {
		}

		@Because(problem = "it returns int, which has no value for a skipped call", action = "Make it return Integer")
		@DistributedLock(ifLocked = IfLocked.SKIP)
		int skippedPrimitive() {
			return 1;
		}

		@Because(problem = "it has both ifLocked = SKIP and fallback", action = "Remove one")
		@DistributedLock(ifLocked = IfLocked.SKIP, fallback = "none")
		void skipAndFallback() {
		}

		@Because(problem = "its fallback '${app.fallback:other}' cannot be used because there is no method"
				+ " '${app.fallback:other}'", action = "Add it")
		@DistributedLock(fallback = "${app.fallback:other}")
		void propertyAsFallback() {
		}

		@Because(problem = "there is no method 'swapped'", action = "same parameters")
		@DistributedLock(fallback = "swapped")
		void wrongFallbackParameters(String id) {
		}

		@Because(problem = "it returns String instead of Integer", action = "Make it return")
		@DistributedLock(fallback = "text")
		Integer wrongFallbackResult() {
			return 1;
		}

		@Because(problem = "it returns Integer instead of int", action = "Make it return")
		@DistributedLock(fallback = "boxed")
		int boxedFallback() {
			return 1;
		}

		@Because(problem = "it returns void instead of String", action = "Make it return")
		@DistributedLock(fallback = "none")
		String voidFallback() {
			return "";
		}

		@Because(problem = "it is locked itself", action = "not locked")
		@DistributedLock(fallback = "itselfAsFallback")
		void itselfAsFallback() {
		}

		@Because(problem = "it returns Future, whose work continues after the lock is released",
				action = "until a CompletableFuture, a Mono or a Flux of it ends")
		@DistributedLock
		Future<String> repliesPlainFuture() {
			throw new UnsupportedOperationException();
		}

		@Because(problem = "it returns ConnectableFlux, whose work", action = "a Mono or a Flux")
		@DistributedLock
		ConnectableFlux<String> repliesConnectableFlux() {
			throw new UnsupportedOperationException();
		}

		@Because(problem = "it returns Callable, which is called after the lock is released",
				action = "Call it under the lock and return its result")
		@DistributedLock
		Callable<String> repliesCallable() {
			return () -> "";
		}

		@Because(problem = "it returns Stream, which is read after the lock is released", action = "with toList()")
		@DistributedLock
		Stream<String> repliesStream() {
			return Stream.empty();
		}

		@Because(problem = "it returns Cursor, which is read", action = "return the values")
		@DistributedLock
		Cursor<String> repliesIterator() {
			throw new UnsupportedOperationException();
		}

		@Because(problem = "it returns Spliterator, which is read", action = "return the values")
		@DistributedLock
		Spliterator<String> repliesSpliterator() {
			return Spliterators.emptySpliterator();
		}

		@Because(problem = "it returns Map with Future, whose work", action = "Return its value")
		@DistributedLock
		Map<String, List<? extends Future<String>>> repliesMap() {
			return Map.of();
		}

		@Because(problem = "it returns CompletableFuture[] with CompletableFuture, whose work",
				action = "Return its value")
		@DistributedLock
		CompletableFuture<?>[] repliesArray() {
			return new CompletableFuture<?>[0];
		}

		@Because(problem = "it returns Optional with Mono, whose work", action = "Return its value")
		@DistributedLock
		Optional<Mono<String>> repliesOptional() {
			return Optional.empty();
		}

		@Because(problem = "it returns Mono with Mono, whose work", action = "Return its value")
		@DistributedLock
		Mono<Mono<String>> repliesNestedMono() {
			return Mono.empty();
		}

		@Because(problem = "it returns CompletableFuture with Stream, which is read", action = "with toList()")
		@DistributedLock
		CompletableFuture<Stream<String>> repliesFutureOfStream() {
			return CompletableFuture.completedFuture(Stream.empty());
		}

		@Because(problem = "it returns Flux with InputStreamResource, which is read", action = "return the values")
		@DistributedLock
		Flux<List<InputStreamResource>> repliesResources() {
			return Flux.empty();
		}

		@Because(problem = "it returns CompletableFuture with Callable, which is called", action = "return its result")
		@DistributedLock
		CompletableFuture<Callable<String>> repliesFutureOfCallable() {
			return CompletableFuture.completedFuture(() -> "");
		}

		@Because(problem = "it returns a Single, which has no value for a skipped call",
				action = "something that can be empty")
		@DistributedLock(ifLocked = IfLocked.SKIP)
		Single<String> skippedSingle() {
			return Single.never();
		}

		@Because(problem = "it returns String instead of CompletableFuture", action = "Make it return")
		@DistributedLock(fallback = "text")
		CompletableFuture<String> wrongFallbackOfFuture() {
			return CompletableFuture.completedFuture("");
		}

		void none() {
		}

		void swapped(LockNotAcquiredException ex, String id) {
		}

		String text() {
			return "";
		}

		Integer boxed() {
			return 1;
		}

	}

	interface Task extends Runnable {

	}

	/**
	 * Types that are functions only by the way, functions in a collection, and type
	 * variables that refer to themselves.
	 */
	@SuppressWarnings({ "rawtypes", "unused" })
	static class CompleteResults {

		@DistributedLock(name = "page")
		Page<String> page() {
			return Page.empty();
		}

		@DistributedLock
		Streamable<String> streamable() {
			return Streamable.empty();
		}

		@DistributedLock
		Task task() {
			throw new UnsupportedOperationException();
		}

		@DistributedLock
		Thread thread() {
			throw new UnsupportedOperationException();
		}

		@DistributedLock
		Map<String, Supplier<String>> functions() {
			return Map.of();
		}

		@DistributedLock
		Enum anyConstant() {
			throw new UnsupportedOperationException();
		}

		@DistributedLock
		<T extends Comparable<T>> List<? super T> comparable() {
			return List.of();
		}

		@DistributedLock
		List<?> anything() {
			return List.of();
		}

	}

	static class Generic<T> {

		@DistributedLock
		T m() {
			throw new UnsupportedOperationException();
		}

	}

	static class Concrete extends Generic<ArrayList<Iterator<String>[]>> {

	}

	static class FinalMethod {

		@DistributedLock
		final void m() {
		}

	}

	static class TwoProblems {

		@DistributedLock(timeout = "soon")
		void a() {
		}

		@DistributedLock(retry = -2)
		void b() {
		}

	}

	static class Harmless {

		@DistributedLock
		void m() {
		}

	}

	static class WithTemplate {

		@DistributedLock(name = "named", template = "locks")
		void m() {
		}

	}

	interface Face {

		void other();

	}

	interface PrivateFace {

		default void m() {
			hidden();
		}

		@DistributedLock
		private void hidden() {
		}

	}

	static class WithPrivateFace implements PrivateFace {

	}

	static class BehindInterface implements Face {

		@DistributedLock
		public void other(String overload) {
		}

		@Override
		public void other() {
		}

	}

	static final class FinalBehindInterface implements Face {

		@Override
		@DistributedLock("final")
		public void other() {
		}

	}

	static class FinalMethodBehindInterface implements Face {

		@Override
		@DistributedLock("final")
		public final void other() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyConfig {

		@Bean
		static Harmless early() {
			return new Harmless();
		}

		@Bean
		static BeanFactoryPostProcessor tooEarly() {
			return (beanFactory) -> beanFactory.getBean(Harmless.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	static class NoLocks {

	}

}
