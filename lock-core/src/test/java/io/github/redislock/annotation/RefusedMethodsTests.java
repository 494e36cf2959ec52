package io.github.redislock.annotation;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import io.github.redislock.LockMode;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.reactivex.rxjava3.core.Single;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.ConnectableFlux;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.fail;

class RefusedMethodsTests {

	private static final String LETTERS_64 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

	private static final String LETTERS_256 = LETTERS_64 + LETTERS_64 + LETTERS_64 + LETTERS_64;

	@ParameterizedTest(name = "{0}")
	@MethodSource("refused")
	void startupFailureReportsMethodProblemAndAction(Class<?> bean, String problem, String action) {
		InvalidLockedMethodException failure = failureOf(bean);

		assertThat(failure.getDescription()).startsWith("Method '" + bean.getName() + ".m(");
		assertThat(failure.getDescription()).contains(problem).endsWith(".");
		assertThat(failure.getAction()).contains(action).endsWith(".");
		assertThat(failure).hasMessage(failure.getDescription() + " " + failure.getAction());
	}

	static Stream<Arguments> refused() {
		return Stream.of(Arguments.of(PrivateMethod.class, "it is private", "Make it public"),
				Arguments.of(StaticMethod.class, "it is static", "Make it a method of the bean"),
				Arguments.of(FinalMethod.class, "it is final", "Remove 'final'"),
				Arguments.of(FinalClass.class, "its class is final", "Open the class"),
				Arguments.of(RecordClass.class, "its class is a record", "interface"),
				Arguments.of(SealedClass.class, "its class is sealed", "Open the class"),
				Arguments.of(HashInName.class, "its name 'order:#id' has a '#' that is not part of '#{…}'",
						"Put the expression into 'key'"),
				Arguments.of(TemplateKey.class, "its key '#{#id}' is written as a template", "write '#id'"),
				Arguments.of(BlankKey.class, "its key is blank", "leave 'key' out"),
				Arguments.of(BrokenName.class, "its name 'a#{#id' does not parse", "Correct the expression"),
				Arguments.of(BrokenKey.class, "its key '#id +' does not parse", "Write a SpEL expression"),
				Arguments.of(UnknownInKey.class,
						"its key '#idd' uses '#idd', which does not exist; there is '#id', '#p0'", "Correct the name"),
				Arguments.of(UnknownInTemplate.class, "uses '#other', which does not exist", "Correct the name"),
				Arguments.of(UnknownInArgument.class, "uses '#other', which does not exist", "Correct the name"),
				Arguments.of(UnknownInSelection.class, "uses '#other', which does not exist", "Correct the name"),
				Arguments.of(NumberTooHigh.class, "uses '#p1', which does not exist", "Correct the name"),
				Arguments.of(UnknownRoot.class, "uses '#root.id', which does not exist", "methodName"),
				Arguments.of(ForgottenHash.class, "uses 'id' without the parameter that has it", "Write '#id'"),
				Arguments.of(ForgottenOwner.class, "calls 'trim()' without an object", "Call it on a parameter"),
				Arguments.of(WholeCall.class, "its key '#root' is the whole call", "one value"),
				Arguments.of(TypeInKey.class, "uses a type, 'T(java.lang.String)'", "Use only the parameters"),
				Arguments.of(ConstructorInName.class, "uses a constructor", "Use only the parameters"),
				Arguments.of(BeanInKey.class, "uses a bean, '@locks'", "Use only the parameters"),
				Arguments.of(AssignmentInKey.class, "uses an assignment", "Use only the parameters"),
				Arguments.of(FunctionInKey.class, "uses a function", "Use only the parameters"),
				Arguments.of(ClassInKey.class, "uses the class of an object", "Use only the parameters"),
				Arguments.of(ListInName.class, "is a java.util.List, but names one lock", "'#ids[0]'"),
				Arguments.of(ProjectionInName.class, "is several values", "Name the lock by one value"),
				Arguments.of(InlineListInName.class, "is several values", "Name the lock by one value"),
				Arguments.of(MapKey.class, "for a map, write '.keySet()'", "Name the lock by one value"),
				Arguments.of(InlineMapKey.class, "is a java.util.Map, which is neither", "let 'key' be a collection"),
				Arguments.of(NestedArrayKey.class, "is a int[], but names one lock", "Name the lock by one value"),
				Arguments.of(MissingPlaceholder.class, "its name '${no.such.name}' has a placeholder without a value",
						"Set the property"),
				Arguments.of(BlankName.class, "its lock name must not be blank", "another name"),
				Arguments.of(LongName.class, "its lock name must have at most 1024 bytes", "another name"),
				Arguments.of(WrongDuration.class, "its timeout 'soon' is not a duration", "'30s'"),
				Arguments.of(NoUnit.class, "its timeout '30' is not a duration: it has no unit", "'30s'"),
				Arguments.of(MissingTime.class, "its waitTime '${no.such.time}' has a placeholder without a value",
						"Set the property"),
				Arguments.of(ShortTimeout.class, "its timeout '1ms' is out of range", "as in '500ms', '30s'"),
				Arguments.of(NegativeWait.class, "its waitTime '-1s' is out of range", "as in '500ms', '30s'"),
				Arguments.of(NegativeAtLeast.class, "its atLeastFor '-1s' is out of range", "as in '500ms', '30s'"),
				Arguments.of(ZeroDelay.class, "its retryDelay '0s' is out of range", "as in '500ms', '30s'"),
				Arguments.of(WrongRetry.class, "its retry is -2", "Use 0"),
				Arguments.of(NoPermits.class, "its permits '0' is 0, which admits no caller", "at least 1"),
				Arguments.of(NegativePermits.class, "its permits '${app.none:-2}' is -2, which admits no caller",
						"at least 1"),
				Arguments.of(CountedReaders.class, "it only reads (mode = READ) and has permits = '${app.exports:3}'",
						"Remove one of the two"),
				Arguments.of(PermitWithoutNumber.class, "it takes a permit (mode = PERMIT), but 'permits' is empty",
						"Set 'permits'"),
				Arguments.of(WordAsPermits.class, "its permits 'many' is not a number", "'${app.exports:3}'"),
				Arguments.of(MissingPermits.class, "its permits '${no.such.limit}' has a placeholder",
						"Set the property"),
				Arguments.of(ExpressionAsPermits.class, "its permits '#{@limits.exports}' is not a number",
						"use LockOperations.execute with LockTarget.permits"),
				Arguments.of(SharedList.class, "its key '#ids' is several values, but several locks cannot be shared",
						"Make 'key' one value"),
				Arguments.of(SharedArray.class, "its key '#ids' is several values, but several locks cannot be shared",
						"Make 'key' one value"),
				Arguments.of(SharedStream.class, "its key '#ids' is several values, but several locks cannot be shared",
						"Make 'key' one value"),
				Arguments.of(SharedProjection.class, "is several values, but several locks cannot be shared",
						"make the locks exclusive"),
				Arguments.of(SharedMap.class, "for a map, write '.keySet()'", "Name the lock by one value"),
				Arguments.of(SkippedPrimitive.class, "it returns int, which has no value for a skipped call",
						"Make it return Integer"),
				Arguments.of(SkipAndFallback.class, "it has both ifLocked = SKIP and fallback", "Remove one"),
				Arguments.of(NoFallback.class, "its fallback 'other' does not fit: there is no method 'other'",
						"Add it"),
				Arguments.of(PropertyAsFallback.class, "there is no method '${app.fallback:other}'", "Add it"),
				Arguments.of(WrongFallbackParameters.class, "there is no method 'other'", "same parameters"),
				Arguments.of(WrongFallbackResult.class, "it returns String instead of Integer", "Make it return"),
				Arguments.of(BoxedFallback.class, "it returns Integer instead of int", "Make it return"),
				Arguments.of(VoidFallback.class, "it returns void instead of String", "Make it return"),
				Arguments.of(ItselfAsFallback.class, "it is locked itself", "not locked"),
				Arguments.of(RepliesPlainFuture.class, "it returns Future", "Make it return a CompletableFuture"),
				Arguments.of(RepliesFutureTask.class, "it returns FutureTask", "Make it return a CompletableFuture"),
				Arguments.of(RepliesConnectableFlux.class, "it returns ConnectableFlux", "a Mono or a Flux"),
				Arguments.of(RepliesCallable.class, "it returns Callable", "lock the method that does the work"),
				Arguments.of(SkippedSingle.class, "it returns a Single, which has no value for a skipped call",
						"something that can be empty"),
				Arguments.of(WrongFallbackOfFuture.class, "it returns String instead of CompletableFuture",
						"Make it return"));
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
			.contains("its key '#id' uses '#id', but its class was compiled without the names of parameters")
			.contains("'#p0'");
		assertThat(failure.getAction()).contains("<maven.compiler.parameters>true</maven.compiler.parameters>")
			.contains("Gradle: options.compilerArgs << '-parameters'");
	}

	@ParameterizedTest
	@ValueSource(classes = { AfterPropertiesSet.class, Destroy.class, InitMethod.class, DestroyMethod.class })
	void initAndDestroyMethodsAreRejected(Class<?> bean) {
		InvalidLockedMethodException failure = failureOf(bean);

		assertThat(failure.getDescription())
			.contains("the container calls it directly, not through the proxy, when it creates or destroys the bean");
		assertThat(failure.getAction()).contains("CommandLineRunner")
			.contains("@EventListener(ApplicationReadyEvent.class)")
			.contains("@EventListener(ContextClosedEvent.class)");
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

		assertThat(failure.getDescription()).contains(".m()").contains("the bean's proxy has interfaces only");
		assertThat(failure.getAction()).contains("proxyTargetClass = true");
	}

	@Test
	void finalClassIsRejectedOnlyWithClassProxies() {
		try (LockedContext context = LockedContext.of(FinalBehindInterface.class)) {
			context.get(Face.class).other();
			assertThat(context.locks().names).containsExactly("final");
		}
		InvalidLockedMethodException failure = failureOf(
				(context) -> context.register(FinalBehindInterface.class, LockedMethodsTests.ClassProxies.class));

		assertThat(failure.getDescription()).contains("its class is final");
	}

	@Test
	void beanCreatedTooEarlyIsRejected() {
		InvalidLockedMethodException failure = failureOf(EarlyConfig.class);

		assertThat(failure.getDescription()).contains(Harmless.class.getName() + ".m()")
			.contains("bean 'early' has no proxy that intercepts it");
		assertThat(failure.getAction()).contains("ObjectProvider");
	}

	@Test
	void registeredSingletonWithoutAProxyIsRejected() {
		InvalidLockedMethodException failure = failureOf(
				(context) -> context.getBeanFactory().registerSingleton("ready", new Harmless()));

		assertThat(failure.getDescription()).contains("bean 'ready' has no proxy that intercepts it");
	}

	@Test
	void lazyBeanIsRejectedOnCreation() {
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

		assertThat(failureOf(below).getDescription()).contains("there.Below.m()").contains("package-private");
	}

	@Test
	void missingLockOperationsBeanIsExplained() {
		Throwable failure = catchThrowable(() -> new AnnotationConfigApplicationContext(NoLocks.class).close());

		assertThat(failure).isInstanceOf(LockSetupException.class)
			.hasMessage("Locked methods need a bean of type LockOperations, but there is none. Declare one, such as a"
					+ " RedisLockTemplate.");
	}

	@Test
	void severalLockOperationsBeansAreExplained() {
		Throwable failure = catchThrowable(() -> LockedContext.of(RecordingLocks.class).close());

		assertThat(failure).isInstanceOf(LockSetupException.class)
			.hasMessageContainingAll("there are several: [", "locks", "with @Primary");
	}

	private static InvalidLockedMethodException failureOf(Class<?> bean) {
		return failureOf((context) -> context.registerBean("m", bean));
	}

	private static InvalidLockedMethodException failureOf(Consumer<AnnotationConfigApplicationContext> beans) {
		Throwable failure = catchThrowable(() -> LockedContext.of(Map.of(), beans).close());
		while (failure != null && !(failure instanceof InvalidLockedMethodException)) {
			failure = failure.getCause();
		}
		assertThat(failure).as("start").isNotNull();
		return (InvalidLockedMethodException) failure;
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

	@SuppressWarnings("unused")
	static class PrivateMethod {

		@DistributedLock
		private void m() {
		}

	}

	static class AfterPropertiesSet implements InitializingBean {

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

	static class StaticMethod {

		@DistributedLock
		static void m() {
		}

	}

	static class FinalMethod {

		@DistributedLock
		final void m() {
		}

	}

	static final class FinalClass {

		@DistributedLock
		void m() {
		}

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

	static class HashInName {

		@DistributedLock("order:#id")
		void m(String id) {
		}

	}

	static class TemplateKey {

		@DistributedLock(key = "#{#id}")
		void m(String id) {
		}

	}

	static class BlankKey {

		@DistributedLock(key = " ")
		void m(String id) {
		}

	}

	static class BrokenName {

		@DistributedLock("a#{#id")
		void m(String id) {
		}

	}

	static class BrokenKey {

		@DistributedLock(key = "#id +")
		void m(String id) {
		}

	}

	static class UnknownInKey {

		@DistributedLock(key = "#idd")
		void m(String id) {
		}

	}

	static class UnknownInTemplate {

		@DistributedLock("a:#{#id}:#{#other}")
		void m(String id) {
		}

	}

	static class UnknownInArgument {

		@DistributedLock(key = "#id.concat(#other)")
		void m(String id) {
		}

	}

	static class UnknownInSelection {

		@DistributedLock(key = "#ids.^[#this == #other]")
		void m(List<String> ids) {
		}

	}

	static class NumberTooHigh {

		@DistributedLock(key = "#p1")
		void m(String id) {
		}

	}

	static class UnknownRoot {

		@DistributedLock(key = "#root.id")
		void m(String id) {
		}

	}

	static class ForgottenHash {

		@DistributedLock(key = "id")
		void m(String id) {
		}

	}

	static class ForgottenOwner {

		@DistributedLock(key = "trim()")
		void m(String id) {
		}

	}

	static class WholeCall {

		@DistributedLock(key = "#root")
		void m(String id) {
		}

	}

	static class TypeInKey {

		@DistributedLock(key = "T(java.lang.String).valueOf(#id)")
		void m(String id) {
		}

	}

	static class ConstructorInName {

		@DistributedLock("a:#{new String(#id)}")
		void m(String id) {
		}

	}

	static class BeanInKey {

		@DistributedLock(key = "@locks.onlyName() + #id")
		void m(String id) {
		}

	}

	static class AssignmentInKey {

		@DistributedLock(key = "#id = 'x'")
		void m(String id) {
		}

	}

	static class FunctionInKey {

		@DistributedLock(key = "#id(1)")
		void m(String id) {
		}

	}

	static class ClassInKey {

		@DistributedLock(key = "#id.class.name")
		void m(String id) {
		}

	}

	static class ListInName {

		@DistributedLock("job:#{#ids}")
		void m(List<String> ids) {
		}

	}

	static class ProjectionInName {

		@DistributedLock("job:#{#ids.![length()]}")
		void m(List<String> ids) {
		}

	}

	static class MapKey {

		@DistributedLock(key = "#ids")
		void m(Map<String, String> ids) {
		}

	}

	static class InlineMapKey {

		@DistributedLock(key = "{'a': #id}")
		void m(String id) {
		}

	}

	static class NestedArrayKey {

		@DistributedLock(key = "#ids")
		void m(int[][] ids) {
		}

	}

	static class InlineListInName {

		@DistributedLock("job:#{{#id, 'a'}}")
		void m(String id) {
		}

	}

	static class MissingPlaceholder {

		@DistributedLock("${no.such.name}")
		void m() {
		}

	}

	static class BlankName {

		@DistributedLock("  ")
		void m() {
		}

	}

	static class LongName {

		@DistributedLock(LETTERS_256 + LETTERS_256 + LETTERS_256 + LETTERS_256 + "x")
		void m() {
		}

	}

	static class WrongDuration {

		@DistributedLock(timeout = "soon")
		void m() {
		}

	}

	static class NoUnit {

		@DistributedLock(timeout = "30")
		void m() {
		}

	}

	static class MissingTime {

		@DistributedLock(waitTime = "${no.such.time}")
		void m() {
		}

	}

	static class ShortTimeout {

		@DistributedLock(timeout = "1ms")
		void m() {
		}

	}

	static class NegativeWait {

		@DistributedLock(waitTime = "-1s")
		void m() {
		}

	}

	static class NegativeAtLeast {

		@DistributedLock(atLeastFor = "-1s")
		void m() {
		}

	}

	static class ZeroDelay {

		@DistributedLock(retryDelay = "0s")
		void m() {
		}

	}

	static class NoPermits {

		@DistributedLock(permits = "0")
		void m() {
		}

	}

	static class NegativePermits {

		@DistributedLock(permits = "${app.none:-2}")
		void m() {
		}

	}

	static class CountedReaders {

		@DistributedLock(mode = LockMode.READ, permits = "${app.exports:3}")
		void m() {
		}

	}

	static class PermitWithoutNumber {

		@DistributedLock(mode = LockMode.PERMIT, permits = "${app.none:}")
		void m() {
		}

	}

	static class WordAsPermits {

		@DistributedLock(permits = "many")
		void m() {
		}

	}

	static class MissingPermits {

		@DistributedLock(permits = "${no.such.limit}")
		void m() {
		}

	}

	static class ExpressionAsPermits {

		@DistributedLock(permits = "#{@limits.exports}")
		void m() {
		}

	}

	static class SharedList {

		@DistributedLock(mode = LockMode.READ, key = "#ids")
		void m(List<String> ids) {
		}

	}

	static class SharedArray {

		@DistributedLock(permits = "2", key = "#ids")
		void m(int[] ids) {
		}

	}

	static class SharedStream {

		@DistributedLock(permits = "2", key = "#ids")
		void m(Stream<String> ids) {
		}

	}

	static class SharedProjection {

		@DistributedLock(mode = LockMode.READ, key = "#ids.![toString()]")
		void m(Object ids) {
		}

	}

	static class SharedMap {

		@DistributedLock(mode = LockMode.READ, key = "#ids")
		void m(Map<String, String> ids) {
		}

	}

	static class WrongRetry {

		@DistributedLock(retry = -2)
		void m() {
		}

	}

	static class SkippedPrimitive {

		@DistributedLock(ifLocked = IfLocked.SKIP)
		int m() {
			return 1;
		}

	}

	static class SkipAndFallback {

		@DistributedLock(ifLocked = IfLocked.SKIP, fallback = "other")
		void m() {
		}

		void other() {
		}

	}

	static class NoFallback {

		@DistributedLock(fallback = "other")
		void m() {
		}

	}

	static class PropertyAsFallback {

		@DistributedLock(fallback = "${app.fallback:other}")
		void m() {
		}

		void other() {
		}

	}

	static class WrongFallbackParameters {

		@DistributedLock(fallback = "other")
		void m(String id) {
		}

		void other(LockNotAcquiredException ex, String id) {
		}

	}

	static class WrongFallbackResult {

		@DistributedLock(fallback = "other")
		Integer m() {
			return 1;
		}

		String other() {
			return "";
		}

	}

	static class BoxedFallback {

		@DistributedLock(fallback = "other")
		int m() {
			return 1;
		}

		Integer other() {
			return 1;
		}

	}

	static class VoidFallback {

		@DistributedLock(fallback = "other")
		String m() {
			return "";
		}

		void other() {
		}

	}

	static class ItselfAsFallback {

		@DistributedLock(fallback = "m")
		void m() {
		}

	}

	static class RepliesFuture {

		@DistributedLock
		CompletableFuture<String> m() {
			return CompletableFuture.completedFuture("");
		}

	}

	static class RepliesPlainFuture {

		@DistributedLock
		Future<String> m() {
			throw new UnsupportedOperationException();
		}

	}

	static class RepliesFutureTask {

		@DistributedLock
		FutureTask<String> m() {
			throw new UnsupportedOperationException();
		}

	}

	static class RepliesConnectableFlux {

		@DistributedLock
		ConnectableFlux<String> m() {
			throw new UnsupportedOperationException();
		}

	}

	static class RepliesCallable {

		@DistributedLock
		Callable<String> m() {
			return () -> "";
		}

	}

	static class SkippedSingle {

		@DistributedLock(ifLocked = IfLocked.SKIP)
		Single<String> m() {
			return Single.never();
		}

	}

	static class WrongFallbackOfFuture {

		@DistributedLock(fallback = "other")
		CompletableFuture<String> m() {
			return CompletableFuture.completedFuture("");
		}

		String other() {
			return "";
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

	interface Face {

		void other();

	}

	static class BehindInterface implements Face {

		@DistributedLock
		public void m() {
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
