package io.github.redislock.annotation;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.LockedMethodKinds.Methods;
import io.github.redislock.annotation.LockedMethodKinds.SkippableMethods;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Redis holds the lock of each kind of method exactly as long as its work runs.
 */
@Tag("promise-13")
@Tag("promise-14")
class LockedMethodKindsTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static AnnotationConfigApplicationContext context;

	private static StringRedisTemplate redis;

	/** Another instance of the application. */
	private static RedisLockTemplate others;

	private final String key = UUID.randomUUID().toString();

	private final ControlledWork work = new ControlledWork();

	@BeforeAll
	static void start() {
		context = new AnnotationConfigApplicationContext(Application.class);
		redis = new StringRedisTemplate(TestRedis.shared().connectionFactory());
		others = new RedisLockTemplate(TestRedis.shared().connectionFactory());
		// Connect and load the scripts first, because short leases have short timeouts.
		LockOptions patient = LockOptions.options().waitTime(PATIENCE);
		Stream.of(others, context.getBean(RedisLockTemplate.class))
			.forEach((locks) -> locks.acquire(LockTarget.of("kinds"), patient).close());
	}

	@AfterAll
	static void stop() {
		others.close();
		context.close();
	}

	@AfterEach
	void end() {
		this.work.end.complete("too late");
	}

	@ParameterizedTest
	@EnumSource
	void lockIsHeldUntilTheWorkIsComplete(Kind kind) throws Exception {
		Call call = kind.call((methods) -> methods.patient(this.key, this.work));
		awaitBegun();

		assertThat(call.outcome).isNotDone();
		assertThat(isLocked()).isTrue();
		assertThat(this.work.token).isPositive();

		this.work.end.complete("done");

		assertThat(call.result()).isEqualTo(kind.values("done"));
		assertThat(isLocked()).isFalse();
		assertThat(this.work.calls).hasValue(1);
	}

	@ParameterizedTest
	@EnumSource
	void lockIsHeldUntilTheWorkHasFailed(Kind kind) {
		Call call = kind.call((methods) -> methods.patient(this.key, this.work));
		awaitBegun();
		assertThat(isLocked()).isTrue();

		IllegalStateException failure = new IllegalStateException("of the work");
		this.work.end.completeExceptionally(failure);

		assertThat(call.failure()).isSameAs(failure);
		assertThat(isLocked()).isFalse();
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WORKER")
	void lockIsHeldUntilTheWorkIsCancelled(Kind kind) {
		Call call = kind.call((methods) -> methods.patient(this.key, this.work));
		awaitBegun();
		assertThat(isLocked()).isTrue();

		call.cancel.run();

		await(() -> this.work.wasStopped());
		await(() -> !isLocked());
	}

	@Test
	void lockIsHeldUntilWorkThatIgnoresItsCancellationEnds() {
		Call call = Kind.WORKER.call((methods) -> methods.patient(this.key, this.work));
		awaitBegun();

		call.cancel.run();

		assertThat(isLocked()).isTrue();
		this.work.end.complete("done");
		await(() -> !isLocked());
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WORKER")
	void cancelledWaiterLeavesTheQueueAndItsWorkNeverStarts(Kind kind) {
		try (LockHandle held = others.acquire(LockTarget.of(name()))) {
			Call call = kind.call((methods) -> methods.patient(this.key, this.work));
			await(() -> waiters() == 1);

			call.cancel.run();

			await(() -> waiters() == 0);
			assertThat(held.verify()).isTrue();
		}
		assertThat(isLocked()).isFalse();
		assertThat(this.work.hasBegun()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void workStartsWhenTheLockIsHandedOver(Kind kind) throws Exception {
		LockHandle held = others.acquire(LockTarget.of(name()));
		Call call = kind.call((methods) -> methods.patient(this.key, this.work));
		await(() -> waiters() == 1);
		assertThat(this.work.hasBegun()).isFalse();

		// End the work first, because a handed-over lock is only claimed for a moment.
		this.work.end.complete("done");
		held.release();

		assertThat(call.result()).isEqualTo(kind.values("done"));
		assertThat(this.work.token).isGreaterThan(held.fencingToken());
		assertThat(isLocked()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void readersHoldTheLockTogetherUntilTheLastOneEnds(Kind kind) throws Exception {
		LockHandle other = others.acquire(LockTarget.of(name()).forReading());
		Call call = kind.call((methods) -> methods.reading(this.key, this.work));
		awaitBegun();
		assertThat(holders()).isEqualTo(2);

		other.release();

		assertThat(others.tryAcquire(LockTarget.of(name()))).isNull();
		this.work.end.complete("done");
		assertThat(call.result()).isEqualTo(kind.values("done"));
		assertThat(holders()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void readerWaitsForTheWriter(Kind kind) throws Exception {
		LockHandle writer = others.acquire(LockTarget.of(name()));
		Call call = kind.call((methods) -> methods.reading(this.key, this.work));
		await(() -> waiters() == 1);
		assertThat(this.work.hasBegun()).isFalse();

		this.work.end.complete("done");
		writer.release();

		assertThat(call.result()).isEqualTo(kind.values("done"));
		assertThat(this.work.token).isGreaterThan(writer.fencingToken());
	}

	@ParameterizedTest
	@EnumSource
	void callWaitsUntilAPermitIsFree(Kind kind) throws Exception {
		LockTarget permit = LockTarget.of(name()).permits(2);
		LockHandle first = others.acquire(permit);
		LockHandle second = others.acquire(permit, LockOptions.options().reentrant(false));
		Call call = kind.call((methods) -> methods.counted(this.key, this.work));
		await(() -> waiters() == 1);
		assertThat(this.work.hasBegun()).isFalse();

		first.release();

		awaitBegun();
		assertThat(holders()).isEqualTo(2);
		this.work.end.complete("done");
		assertThat(call.result()).isEqualTo(kind.values("done"));
		second.release();
		assertThat(holders()).isZero();
	}

	@ParameterizedTest
	@MethodSource("deferred")
	void nothingRunsWithoutASubscriber(Kind kind) {
		Object reply = kind.methods().patient(this.key, this.work);

		assertThat(reply).isNotNull();
		assertThat(isLocked()).isFalse();
		assertThat(this.work.hasBegun()).isFalse();
	}

	@ParameterizedTest
	@MethodSource("deferred")
	void eachSubscriptionAcquiresTheLockAndCallsTheMethod(Kind kind) throws Exception {
		Object reply = kind.methods().patient(this.key, this.work);
		Call first = kind.subscribe(reply);
		awaitBegun();
		long token = this.work.token;
		Call second = kind.subscribe(reply);

		this.work.end.complete("done");

		assertThat(first.result()).isEqualTo(kind.values("done"));
		assertThat(second.result()).isEqualTo(kind.values("done"));
		assertThat(this.work.calls).hasValue(2);
		assertThat(this.work.token).isGreaterThan(token);
		assertThat(isLocked()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void callFailsWhenTheWaitTimesOut(Kind kind) {
		try (LockHandle held = others.acquire(LockTarget.of(name()))) {
			Call call = kind.call((methods) -> methods.impatient(this.key, this.work));

			assertThat(call.failure()).isInstanceOfSatisfying(LockNotAcquiredException.class, (refused) -> {
				assertThat(refused.getLockName()).isEqualTo(name());
				assertThat(refused.getHolder()).isNotNull();
			});
			assertThat(held.verify()).isTrue();
			await(() -> waiters() == 0);
		}
		assertThat(this.work.hasBegun()).isFalse();
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SINGLE")
	void busyLockSkipsTheCall(Kind kind) throws Exception {
		try (LockHandle held = others.acquire(LockTarget.of(name()))) {
			Call call = kind.call((methods) -> ((SkippableMethods<?>) methods).skipped(this.key, this.work));

			assertThat(call.result()).isEmpty();
			assertThat(held.verify()).isTrue();
		}
		assertThat(this.work.hasBegun()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void busyLockRunsTheFallback(Kind kind) throws Exception {
		try (LockHandle held = others.acquire(LockTarget.of(name()))) {
			Call call = kind.call((methods) -> methods.replaced(this.key, this.work));

			assertThat(call.result()).isEqualTo(kind.values(LockedMethodKinds.INSTEAD));
			assertThat(held.verify()).isTrue();
		}
		assertThat(this.work.hasBegun()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void refusalOfAnotherLockInsideTheWorkIsRethrown(Kind kind) {
		Call call = kind.call((methods) -> methods.replaced(this.key, this.work));
		awaitBegun();
		LockNotAcquiredException other = new LockNotAcquiredException(LockTarget.of("other"), Duration.ZERO,
				Duration.ZERO, null, null, null, null);
		this.work.end.completeExceptionally(other);

		assertThat(call.failure()).isSameAs(other);
	}

	@ParameterizedTest
	@EnumSource
	void callFailsAtItsEndIfTheLockWasLost(Kind kind) {
		Call call = kind.call((methods) -> methods.shortLived(this.key, this.work));
		awaitBegun();
		LockHandle thief = steal();

		// Long enough for the next renewal to detect the loss.
		Awaitility.await().during(Duration.ofMillis(400)).atMost(PATIENCE).until(() -> !call.outcome.isDone());
		this.work.end.complete("done");

		assertThat(call.failure()).isInstanceOf(LockLostException.class);
		assertThat(thief.verify()).isTrue();
		thief.release();
	}

	@ParameterizedTest
	@EnumSource
	void lossIsSuppressedInTheFailureOfTheWork(Kind kind) {
		Call call = kind.call((methods) -> methods.shortLived(this.key, this.work));
		awaitBegun();
		steal().release();
		// The release detects the loss at the latest.
		IllegalStateException failure = new IllegalStateException("of the work");
		this.work.end.completeExceptionally(failure);

		assertThat(call.failure()).isSameAs(failure);
		assertThat(failure.getSuppressed()).hasOnlyElementsOfType(LockLostException.class).hasSize(1);
	}

	@ParameterizedTest
	@EnumSource
	void lossStopsTheWorkIfConfigured(Kind kind) {
		Call call = kind.call((methods) -> methods.interrupted(this.key, this.work));
		awaitBegun();
		LockHandle thief = steal();

		assertThat(call.failure()).isInstanceOf(LockLostException.class);
		await(() -> this.work.wasStopped());
		assertThat(thief.verify()).isTrue();
		thief.release();
	}

	@ParameterizedTest
	@EnumSource
	void lossIsIgnoredIfConfigured(Kind kind) throws Exception {
		Call call = kind.call((methods) -> methods.careless(this.key, this.work));
		awaitBegun();
		LockHandle thief = steal();
		this.work.end.complete("done");

		assertThat(call.result()).isEqualTo(kind.values("done"));
		thief.release();
	}

	@ParameterizedTest
	@EnumSource
	void argumentsThatYieldNoLockNameFailTheCall(Kind kind) {
		Call call = kind.call((methods) -> methods.patient(" ", this.work));

		assertThat(call.failure()).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("is blank");
		assertThat(this.work.hasBegun()).isFalse();
	}

	static Stream<Kind> deferred() {
		return Stream.of(Kind.values()).filter((kind) -> kind.adapter != null);
	}

	private String name() {
		return "kinds:" + this.key;
	}

	private boolean isLocked() {
		return redis.hasKey("distributed_lock:" + name());
	}

	private int holders() {
		return others.inspect(LockTarget.of(name())).map(LockState::holders).orElse(0);
	}

	private long waiters() {
		Long size = redis.opsForZSet().zCard("{distributed_lock:%s}:queue".formatted(name()));
		return (size != null) ? size : 0;
	}

	private void awaitBegun() {
		await(this.work::hasBegun);
	}

	/**
	 * Take the lock away and keep it.
	 */
	private LockHandle steal() {
		assertThat(others.forceRelease(LockTarget.of(name()))).isTrue();
		return others.acquire(LockTarget.of(name()));
	}

	private static void await(java.util.concurrent.Callable<Boolean> condition) {
		Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
	}

	/**
	 * A kind of method.
	 */
	enum Kind {

		BLOCKING(LockedMethodKinds.Blocking.class, null),

		FUTURE(LockedMethodKinds.Futures.class, null),

		STAGE(LockedMethodKinds.Stages.class, null),

		WORKER(LockedMethodKinds.Workers.class, null),

		MONO(LockedMethodKinds.Monos.class, reactor.core.publisher.Mono.class),

		FLUX(LockedMethodKinds.Fluxes.class, Flux.class),

		PUBLISHER(LockedMethodKinds.Publishers.class, org.reactivestreams.Publisher.class),

		FLOW_PUBLISHER(LockedMethodKinds.FlowPublishers.class, java.util.concurrent.Flow.Publisher.class),

		SINGLE(LockedMethodKinds.Singles.class, io.reactivex.rxjava3.core.Single.class),

		MAYBE(LockedMethodKinds.Maybes.class, io.reactivex.rxjava3.core.Maybe.class),

		COMPLETABLE(LockedMethodKinds.Completables.class, io.reactivex.rxjava3.core.Completable.class),

		OBSERVABLE(LockedMethodKinds.Observables.class, io.reactivex.rxjava3.core.Observable.class),

		FLOWABLE(LockedMethodKinds.Flowables.class, io.reactivex.rxjava3.core.Flowable.class);

		private final Class<? extends Methods<?>> type;

		private final ReactiveAdapter adapter;

		Kind(Class<? extends Methods<?>> type, Class<?> reactiveType) {
			this.type = type;
			this.adapter = (reactiveType != null) ? ReactiveAdapterRegistry.getSharedInstance().getAdapter(reactiveType)
					: null;
		}

		Methods<?> methods() {
			return context.getBean(this.type);
		}

		/**
		 * Return what subscribers receive for a value of the work.
		 */
		List<String> values(String value) {
			return switch (this) {
				case FLUX -> List.of(value, "!");
				case COMPLETABLE -> List.of();
				default -> List.of(value);
			};
		}

		/**
		 * Call a method and wait for its result on another thread.
		 */
		Call call(Function<Methods<?>, Object> method) {
			if (this != BLOCKING) {
				return subscribe(method.apply(methods()));
			}
			CompletableFuture<List<String>> outcome = new CompletableFuture<>();
			Thread thread = new Thread(() -> {
				try {
					Object value = method.apply(methods());
					outcome.complete((value != null) ? List.of((String) value) : List.of());
				}
				catch (Throwable ex) {
					outcome.completeExceptionally(ex);
				}
			});
			thread.start();
			return new Call(outcome, thread::interrupt);
		}

		Call subscribe(Object reply) {
			if (this.adapter != null) {
				CompletableFuture<List<String>> outcome = Flux.from(this.adapter.<String>toPublisher(reply))
					.collectList()
					.toFuture();
				return new Call(outcome, () -> outcome.cancel(true));
			}
			CompletableFuture<?> future = (CompletableFuture<?>) (CompletionStage<?>) reply;
			return new Call(future.thenApply((value) -> (value != null) ? List.of((String) value) : List.of()),
					() -> future.cancel(true));
		}

	}

	/**
	 * A call that was made.
	 */
	private record Call(CompletableFuture<List<String>> outcome, Runnable cancel) {

		List<String> result() throws Exception {
			return this.outcome.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		}

		Throwable failure() {
			Throwable failure = catchThrowable(this::result);
			return (failure instanceof ExecutionException) ? failure.getCause() : failure;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	@EnableDistributedLocks(proxyTargetClass = true)
	@Import({ LockedMethodKinds.Blocking.class, LockedMethodKinds.Futures.class, LockedMethodKinds.Stages.class,
			LockedMethodKinds.Workers.class, LockedMethodKinds.Monos.class, LockedMethodKinds.Fluxes.class,
			LockedMethodKinds.Publishers.class, LockedMethodKinds.FlowPublishers.class, LockedMethodKinds.Singles.class,
			LockedMethodKinds.Maybes.class, LockedMethodKinds.Completables.class, LockedMethodKinds.Observables.class,
			LockedMethodKinds.Flowables.class })
	static class Application {

		@Bean
		RedisLockTemplate locks() {
			return new RedisLockTemplate(TestRedis.shared().connectionFactory());
		}

	}

}
