package io.github.redislock;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.reactive.ReactiveLockOperations;
import io.github.redislock.store.LockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The blocking, asynchronous and reactive APIs offer the same operations.
 */
class FacesTests {

	private static final List<Class<?>> NAMES = List.of(String.class, LockTarget.class, LockOptions.class,
			LockState.class);

	private static final Set<String> OF_THE_TEMPLATE = Set.of("async", "local");

	@ParameterizedTest
	@ValueSource(classes = { AsyncLockOperations.class, ReactiveLockOperations.class })
	void allApisOfferTheSameOperationsOnTargets(Class<?> face) {
		assertThat(operations(face)).isEqualTo(operations(LockOperations.class));
	}

	@ParameterizedTest
	@ValueSource(classes = { LockOperations.class, AsyncLockOperations.class })
	void fixedNameCanReplaceTheTarget(Class<?> face) {
		Set<String> named = Arrays.stream(face.getMethods())
			.filter(FacesTests::takesAName)
			.map(FacesTests::describe)
			.collect(Collectors.toCollection(TreeSet::new));

		assertThat(named).containsExactly("acquire[String, LockOptions]", "acquire[String]",
				"execute[String, LockOptions, Work]", "execute[String, Work]", "isLocked[String]",
				"tryAcquire[String, LockOptions]", "tryAcquire[String]", "tryExecute[String, LockOptions, Work]",
				"tryExecute[String, Work]");
	}

	@Test
	void blockingAndAsyncExecutePassTheLockToTheWork() {
		Function<Class<?>, Set<String>> given = (face) -> Arrays.stream(face.getMethods())
			.filter((method) -> method.getName().equals("execute") && Stream.of(method.getParameterTypes())
				.anyMatch(Set.of(Function.class, LockedFunction.class)::contains))
			.map(FacesTests::describe)
			.collect(Collectors.toSet());

		assertThat(given.apply(LockOperations.class)).hasSize(4).isEqualTo(given.apply(AsyncLockOperations.class));
	}

	@Test
	void workWithoutAResultRunsOnlyUnderTheLock() {
		String name = "order:42";
		LockTarget target = LockTarget.of(name);
		LockOptions options = LockOptions.options();
		AtomicInteger runs = new AtomicInteger();
		LockedRunnable<RuntimeException> work = runs::incrementAndGet;
		try (LockStore store = new InMemoryLockStore();
				LockTemplate locks = new LockTemplate(store, LockConfiguration.defaults());
				LockTemplate others = new LockTemplate(store, LockConfiguration.defaults())) {
			locks.execute(name, work);
			locks.execute(name, options, work);
			locks.execute(target, work);
			locks.execute(target, options, work);
			assertThat(runs).hasValue(4);
			assertThat(locks.tryExecute(name, work)).isTrue();
			assertThat(locks.tryExecute(name, options, work)).isTrue();
			assertThat(locks.tryExecute(target, work)).isTrue();
			assertThat(locks.tryExecute(target, options, work)).isTrue();
			assertThat(runs).hasValue(8);

			others.acquire(target);
			assertThat(locks.tryExecute(name, work)).isFalse();
			assertThat(locks.tryExecute(name, options.waitTime(Duration.ZERO), work)).isFalse();
			assertThat(locks.tryExecute(target, work)).isFalse();
			assertThat(locks.tryExecute(target, options.waitTime(Duration.ZERO), work)).isFalse();
			assertThat(runs).hasValue(8);
		}
	}

	@Test
	void listenerMethodsAreNotOverloaded() {
		assertThat(LockListener.class.getMethods()).extracting(Method::getName).doesNotHaveDuplicates();
	}

	private static Set<String> operations(Class<?> face) {
		return Arrays.stream(face.getMethods())
			.filter((method) -> !OF_THE_TEMPLATE.contains(method.getName()) && !takesAName(method))
			.map(FacesTests::describe)
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static boolean takesAName(Method method) {
		return Arrays.asList(method.getParameterTypes()).contains(String.class);
	}

	private static String describe(Method method) {
		return method.getName() + Arrays.stream(method.getParameterTypes())
			.map((type) -> NAMES.contains(type) ? type.getSimpleName() : "Work")
			.toList();
	}

}
