package io.github.redislock;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.fencing.JdbcFence;
import io.github.redislock.fencing.RedisFence;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.leadership.LockLeadership;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.reactive.ReactiveLockOperations;
import io.github.redislock.reactive.ReactiveLockTemplate;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A missing argument is refused with a sentence that names it, before any lock is
 * requested.
 */
@SuppressWarnings("NullAway")
class NullArgumentsTests {

	private static final LockTarget TARGET = LockTarget.of("order:42");

	/** An argument for each type of a parameter. */
	private static final Map<Class<?>, Object> ARGUMENTS = Map.ofEntries(Map.entry(String.class, "order:42"),
			Map.entry(LockTarget.class, TARGET), Map.entry(LockOptions.class, LockOptions.options()),
			Map.entry(LockState.class, LockState.of("order:42", "me", Duration.ZERO, null, null, null, true, 1)),
			Map.entry(Duration.class, Duration.ofSeconds(1)), Map.entry(Class.class, String.class),
			Map.entry(Executor.class, (Executor) Runnable::run),
			Map.entry(LockedSupplier.class, (LockedSupplier<String, RuntimeException>) () -> "never"),
			Map.entry(LockedRunnable.class, (LockedRunnable<RuntimeException>) () -> {
			}), Map.entry(LockedFunction.class, (LockedFunction<String, RuntimeException>) (lock) -> "never"),
			Map.entry(Supplier.class, (Supplier<?>) () -> CompletableFuture.completedFuture("never")),
			Map.entry(Function.class, (Function<?, ?>) (lock) -> CompletableFuture.completedFuture("never")),
			Map.entry(Mono.class, Mono.just("never")), Map.entry(Flux.class, Flux.just("never")));

	@ParameterizedTest(name = "{0}")
	@MethodSource("callsOfOperations")
	void callWithoutAnArgumentIsRefusedBeforeTheLockIsRequested(Call call) {
		try (LockTemplate template = new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults())) {
			Map<Class<?>, Object> faces = Map.of(LockOperations.class, template, AsyncLockOperations.class,
					template.async(), ReactiveLockOperations.class, new ReactiveLockTemplate(template));

			call.isRefused(faces.get(call.method.getDeclaringClass()));
			assertThat(template.local().held()).isEmpty();
			assertThat(template.isLocked(TARGET)).isFalse();
		}
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("callsOfHandles")
	void callOfAHandleWithoutItsArgumentIsRefused(Call call) {
		try (LockTemplate template = new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults())) {
			Object lock = (call.method.getDeclaringClass() != AsyncLockHandle.class) ? template.acquire(TARGET)
					: template.async().acquire(TARGET).join();

			call.isRefused(lock);
		}
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("settings")
	void missingValueOfASettingIsRefusedWithItsName(Call call) {
		Object settings = Map
			.of(LockOptions.class, LockOptions.options(), LockConfiguration.class, LockConfiguration.defaults(),
					RedisLockStoreOptions.class, RedisLockStoreOptions.defaults())
			.get(call.method.getDeclaringClass());

		call.isRefused(settings);
	}

	@Test
	void missingListenerOrLockInACollectionIsRefused() {
		refused("listeners must not contain null",
				() -> LockConfiguration.defaults().listeners(Arrays.asList((LockListener) null)));
		refused("lock target must not be null", () -> LockTarget.allOf(TARGET, null));
		refused("lock target must not be null", () -> LockTarget.allOf((LockTarget) null));
		refused("at least one lock must be given", () -> LockTarget.allOf((Collection<LockTarget>) null));
		refused("metric name must not be null", () -> TARGET.withMetricName(null));
		refused("lock target must not be null", () -> LockContext.requireHeld((LockTarget) null));
	}

	@Test
	void templateNeedsAStoreAndAConfiguration() {
		refused("store must not be null", () -> new LockTemplate(null, LockConfiguration.defaults()));
		refused("configuration must not be null", () -> new LockTemplate(new InMemoryLockStore(), null));
		refused("connectionFactory must not be null", () -> new RedisLockTemplate(null));
	}

	@Test
	void redisStoreNeedsAConnectionFactoryAndOptions() {
		refused("connectionFactory must not be null",
				() -> RedisLockStore.create(null, RedisLockStoreOptions.defaults()));
		refused("options must not be null", () -> RedisLockStore.create(new LettuceConnectionFactory(), null));
	}

	@Test
	void leadershipNeedsARoleWithALockAndListeners() {
		try (LockTemplate template = new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults())) {
			LockLeadership leadership = new LockLeadership("mailer", template);

			refused("role must not be blank", () -> new LockLeadership(null, template));
			refused("role must not be blank", () -> new LockLeadership(" ", template));
			refused("locks must not be null", () -> new LockLeadership("mailer", null));
			refused("options must not be null", () -> new LockLeadership("mailer", template, null));
			refused("listener must not be null", () -> leadership.onGranted(null));
			refused("listener must not be null", () -> leadership.onRevoked(null));
		}
	}

	@Test
	void fenceNeedsATableAKeyAndAValue() {
		RedisFence fence = new RedisFence(new LettuceConnectionFactory());

		refused("key must not be null", () -> fence.set(null, "value", 1));
		refused("value must not be null", () -> fence.set("key", null, 1));
		refused("table must be a plain name, as in 'lock_fence' or 'app.lock_fence', but is 'null'",
				() -> new JdbcFence(new JdbcTemplate(), null));
	}

	static Stream<Call> callsOfOperations() {
		return calls(LockOperations.class, AsyncLockOperations.class, ReactiveLockOperations.class);
	}

	static Stream<Call> callsOfHandles() {
		return calls(HeldLock.class, LockHandle.class, AsyncLockHandle.class);
	}

	static Stream<Call> settings() {
		return calls(LockOptions.class, LockConfiguration.class, RedisLockStoreOptions.class);
	}

	private static Stream<Call> calls(Class<?>... types) {
		return Stream.of(types)
			.flatMap((type) -> Arrays.stream(ReflectionUtils.getDeclaredMethods(type)))
			.filter((method) -> !method.isSynthetic() && Modifier.isPublic(method.getModifiers()))
			.flatMap((method) -> IntStream.range(0, method.getParameterCount())
				.filter((index) -> !method.getParameterTypes()[index].isPrimitive()
						&& !method.getAnnotatedParameterTypes()[index].isAnnotationPresent(Nullable.class))
				.mapToObj((index) -> new Call(method, index)));
	}

	private static void refused(String message, ThrowingCallable call) {
		assertThatIllegalArgumentException().isThrownBy(call).withMessage(message);
	}

	/**
	 * A call of a method without one of its arguments.
	 *
	 * @param missing the index of the argument that is {@code null}
	 */
	record Call(Method method, int missing) {

		void isRefused(Object receiver) {
			assertThatThrownBy(() -> run(receiver)).isInstanceOf(IllegalArgumentException.class)
				.hasMessageMatching("(?s).*\\b(?:must|no)\\b.*")
				.hasMessageNotContaining("Cannot invoke");
		}

		private void run(Object receiver) throws Throwable {
			List<Object> arguments = new ArrayList<>();
			for (int index = 0; index < this.method.getParameterCount(); index++) {
				arguments.add((index == this.missing) ? null : ARGUMENTS.get(this.method.getParameterTypes()[index]));
			}
			try {
				Object result = this.method.invoke(receiver, arguments.toArray());
				if (result instanceof Publisher<?> publisher) {
					Flux.from(publisher).blockLast();
				}
			}
			catch (InvocationTargetException ex) {
				throw ex.getCause();
			}
		}

		@Override
		public String toString() {
			return this.method.toGenericString().replaceAll("[\\w.]+\\.(?=\\w)", "") + " without argument "
					+ this.missing;
		}

	}

}
