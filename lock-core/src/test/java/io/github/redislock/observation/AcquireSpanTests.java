package io.github.redislock.observation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.reactive.ReactiveLockTemplate;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.OwnThread;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.test.simple.SimpleSpan;
import io.micrometer.tracing.test.simple.SimpleTracer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AcquireSpanTests {

	private static final LockTarget PAYMENT = LockTarget.of("payment", 4711);

	private static final LockOptions DEFAULTS = LockOptions.options();

	private static final LockOptions NO_WAIT = LockOptions.options().retry(0);

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final SimpleTracer tracer = new SimpleTracer();

	private final ObservationRegistry observations = ObservationRegistry.create();

	private final ManualLockTimer timer = new ManualLockTimer();

	private final LockTemplate locks = template(new InMemoryLockStore(this.timer));

	AcquireSpanTests() {
		// The accessor for other threads uses the global registry.
		ObservationThreadLocalAccessor.getInstance().setObservationRegistry(this.observations);
		this.observations.observationConfig().observationHandler(new DefaultTracingObservationHandler(this.tracer));
	}

	@AfterEach
	void close() {
		this.locks.close();
		ObservationThreadLocalAccessor.getInstance().setObservationRegistry(ObservationRegistry.NOOP);
	}

	@Test
	void spanNamesTheLockAndTheOutcomeOfTheWait() {
		LockHandle lock = this.locks.acquire(PAYMENT);

		SimpleSpan span = acquireSpan();
		assertThat(span.getName()).isEqualTo("acquire lock payment");
		assertThat(span.getTags()).containsExactlyInAnyOrderEntriesOf(
				Map.of("lock", "payment", "mode", "exclusive", "outcome", "acquired", "redis.lock.name", "payment:4711",
						"redis.lock.from", "none", "redis.lock.fencing_token", Long.toString(lock.fencingToken())));
		assertThat(span.getError()).isNull();
		lock.close();
	}

	@Test
	void spanTagsDoNotContainTheOwnerToken() {
		LockHandle lock = this.locks.acquire(PAYMENT);

		assertThat(acquireSpan().getTags().values()).noneMatch((value) -> value.contains(lock.owner()));
		lock.close();
	}

	@Test
	void spanIsAChildOfTheCallersSpan() {
		Observation caller = Observation.start("caller", this.observations);

		caller.scoped(() -> this.locks.execute(PAYMENT, () -> {
		}));
		caller.stop();

		assertThat(acquireSpan().getParentId()).isEqualTo(span("caller").getSpanId());
		assertThat(acquireSpan().getTraceId()).isEqualTo(span("caller").getTraceId());
	}

	@Test
	void acquireSpanEndsBeforeTheWorkRunsInTheCallersSpan() {
		Observation caller = Observation.start("caller", this.observations);

		caller.scoped(() -> this.locks.execute(PAYMENT, () -> {
			assertThat(acquireSpan().getEndTimestamp().toEpochMilli()).isPositive();
			assertThat(this.observations.getCurrentObservation()).isSameAs(caller);
		}));
		caller.stop();
	}

	@Test
	void callerRefusedAtOnceIsReportedAsRefusedNotAsAnError() {
		LockHandle lock = this.locks.acquire(PAYMENT);
		CompletableFuture<?> waiter = this.locks.async().acquire(PAYMENT, LockOptions.options().waitForever());
		CompletableFuture<?> other = CompletableFuture.runAsync(
				() -> this.locks.tryAcquire(PAYMENT, LockOptions.options().waitForever().maxWaiters(1)),
				OwnThread::run);
		assertThat(other).succeedsWithin(PATIENCE);

		assertOutcomeWithoutError("refused");
		waiter.cancel(true);
		lock.close();
	}

	@Test
	void busyLockIsReportedAsATimeoutNotAnError() {
		LockHandle lock = this.locks.acquire(PAYMENT);
		CompletableFuture<?> other = CompletableFuture.runAsync(() -> this.locks.tryAcquire(PAYMENT, NO_WAIT),
				OwnThread::run);
		assertThat(other).succeedsWithin(PATIENCE);

		assertThat(this.tracer.lastSpan().getTags()).containsEntry("outcome", "timeout")
			.doesNotContainKey("redis.lock.fencing_token");
		assertThat(this.tracer.lastSpan().getError()).isNull();
		lock.close();
	}

	@Test
	void outageIsRecordedAsTheErrorOfTheSpan() {
		FailingStore store = new FailingStore(new InMemoryLockStore(this.timer));
		store.failing = true;
		try (LockTemplate broken = template(store)) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> broken.acquire(PAYMENT, NO_WAIT));
		}

		assertThat(acquireSpan().getTags()).containsEntry("outcome", "error");
		assertThat(acquireSpan().getError()).isInstanceOf(LockStoreException.class);
	}

	@Test
	void interruptIsNotAnError() throws InterruptedException {
		LockHandle lock = this.locks.acquire(PAYMENT);
		LockOptions patient = LockOptions.options().waitTime(Duration.ofMinutes(1));
		Thread waiting = OwnThread.start(() -> assertThatExceptionOfType(LockInterruptedException.class)
			.isThrownBy(() -> this.locks.acquire(PAYMENT, patient)));
		OwnThread.awaitRest(waiting);
		waiting.interrupt();
		waiting.join();

		assertOutcomeWithoutError("interrupted");
		lock.close();
	}

	@Test
	void cancellationIsNeitherAnErrorNorAnInterrupt() {
		LockHandle lock = this.locks.acquire(PAYMENT);
		CompletableFuture<?> waiting = this.locks.async()
			.acquire(PAYMENT, LockOptions.options().waitTime(Duration.ofMinutes(1)));
		waiting.cancel(true);

		assertOutcomeWithoutError("cancelled");
		lock.close();
	}

	@Test
	void shutdownIsNeitherAnErrorNorAnInterrupt() {
		LockTemplate closed = template(new InMemoryLockStore(this.timer));
		closed.close();

		assertThatExceptionOfType(LockShutdownException.class).isThrownBy(() -> closed.acquire(PAYMENT));

		assertThat(acquireSpan().getTags()).containsEntry("outcome", "shutdown");
		assertThat(acquireSpan().getError()).isNull();
	}

	@Test
	void reentryCreatesNoAcquireSpan() {
		this.locks.execute(PAYMENT, () -> this.locks.execute(PAYMENT, () -> {
		}));

		assertThat(this.tracer.getSpans()).hasSize(1);
	}

	@Test
	void plainNameIsNeitherTheSpanNameNorTheLockTag() {
		this.locks.execute(LockTarget.of("payment:4711"), () -> {
		});

		SimpleSpan span = this.tracer.onlySpan();
		assertThat(span.getName()).isEqualTo("acquire lock");
		assertThat(span.getTags()).containsEntry("lock", "other").containsEntry("redis.lock.name", "payment:4711");
	}

	@Test
	void futureAcquiresAndWorksInTheCallersTrace() throws Exception {
		Observation caller = Observation.start("caller", this.observations);
		AtomicReference<@Nullable Observation> ofWork = new AtomicReference<>();
		AtomicReference<@Nullable Thread> worker = new AtomicReference<>();

		CompletableFuture<String> done = caller.scoped(() -> this.locks.async().execute(PAYMENT, DEFAULTS, () -> {
			ofWork.set(this.observations.getCurrentObservation());
			worker.set(Thread.currentThread());
			return CompletableFuture.completedFuture("done");
		}));
		assertThat(done.get(20, TimeUnit.SECONDS)).isEqualTo("done");
		caller.stop();

		assertThat(worker.get()).isNotSameAs(Thread.currentThread());
		assertThat(ofWork.get()).isSameAs(caller);
		assertThat(acquireSpan().getParentId()).isEqualTo(span("caller").getSpanId());
	}

	@Test
	void monoAcquiresAndWorksInTheSubscribersTrace() {
		Observation caller = Observation.start("caller", this.observations);
		Mono<Object> work = Mono
			.deferContextual((context) -> Mono.just(context.get(ObservationThreadLocalAccessor.KEY)));

		Object ofWork = new ReactiveLockTemplate(this.locks).execute(PAYMENT, DEFAULTS, work)
			.contextWrite((context) -> context.put(ObservationThreadLocalAccessor.KEY, caller))
			.block(PATIENCE);
		caller.stop();

		assertThat(ofWork).isSameAs(caller);
		assertThat(acquireSpan().getParentId()).isEqualTo(span("caller").getSpanId());
		assertThat(this.observations.getCurrentObservation()).isNull();
	}

	@Test
	void fluxAcquiresInTheSubscribersTrace() {
		Observation caller = Observation.start("caller", this.observations);

		List<Integer> results = new ReactiveLockTemplate(this.locks).execute(PAYMENT, DEFAULTS, Flux.just(1, 2, 3))
			.contextWrite((context) -> context.put(ObservationThreadLocalAccessor.KEY, caller))
			.collectList()
			.block(PATIENCE);
		caller.stop();

		assertThat(results).containsExactly(1, 2, 3);
		assertThat(acquireSpan().getParentId()).isEqualTo(span("caller").getSpanId());
	}

	@Test
	void userDefinedConventionTakesPrecedence() {
		LockObservationConvention convention = new DefaultLockObservationConvention() {

			@Override
			public String getContextualName(LockAcquireContext context) {
				return "wait";
			}

		};
		try (LockTemplate own = template(new InMemoryLockStore(), convention)) {
			own.execute(PAYMENT, () -> {
			});
		}

		assertThat(this.tracer.onlySpan().getName()).isEqualTo("wait");
	}

	@Test
	void waitIsTimedUnderItsUsualNameEvenIfTheConventionHasNone() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		this.observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
		try (LockTemplate own = template(new InMemoryLockStore(), new LockObservationConvention() {
		})) {
			own.execute(PAYMENT, () -> {
			});
		}

		assertThat(meters.get("redis.lock.acquire").timer().count()).isOne();
	}

	@Test
	void conventionOfTheRegistryAppliesOnlyToLocks() {
		this.observations.observationConfig().observationConvention(new OwnConvention());

		Observation.start("caller", this.observations).stop();
		this.locks.execute(PAYMENT, () -> {
		});

		assertThat(this.tracer.getSpans()).extracting(SimpleSpan::getName)
			.containsExactly("caller", "own redis.lock.acquire");
	}

	@Test
	void declaredNameIsNotSubjectToTheNameLimit() {
		LockObservationListener listener = new LockObservationListener(this.observations, null);
		listener.declare(PAYMENT);

		IntStream.range(0, 200).forEach((i) -> listener.tags().lock(LockTarget.of("order-" + i, "total")));

		assertThat(listener.tags().lock(PAYMENT)).isEqualTo("payment");
	}

	@Test
	void nothingIsObservedWithoutAnObservationHandler() {
		LockObservationListener listener = new LockObservationListener(ObservationRegistry.create(), null);

		assertThat(listener.acquiring(PAYMENT)).isNull();
	}

	private void assertOutcomeWithoutError(String outcome) {
		assertThat(this.tracer.lastSpan().getTags()).containsEntry("outcome", outcome);
		assertThat(this.tracer.lastSpan().getError()).isNull();
	}

	private LockTemplate template(LockStore store) {
		return template(store, null);
	}

	private LockTemplate template(LockStore store, @Nullable LockObservationConvention convention) {
		LockObservationListener listener = new LockObservationListener(this.observations, convention);
		return new LockTemplate(store,
				LockConfiguration.defaults().timer(this.timer).listener(listener).taskDecorator(listener::decorate));
	}

	private SimpleSpan acquireSpan() {
		return span("acquire lock payment");
	}

	private SimpleSpan span(String name) {
		return this.tracer.getSpans().stream().filter((span) -> name.equals(span.getName())).findFirst().orElseThrow();
	}

	private static final class OwnConvention extends DefaultLockObservationConvention
			implements GlobalObservationConvention<LockAcquireContext> {

		@Override
		public String getContextualName(LockAcquireContext context) {
			return "own " + getName();
		}

	}

}
