package io.github.redislock.cache;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.cache.LoadOnceListener.Outcome;
import io.github.redislock.cache.LoadOnceOptions.OnBusy;
import io.github.redislock.internal.engine.CountingStore;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.ResourcelessTransactions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.cache.Cache;
import org.springframework.cache.Cache.ValueRetrievalException;
import org.springframework.cache.CacheManager;
import org.springframework.cache.caffeine.CaffeineCacheManager;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.cache.support.CompositeCacheManager;
import org.springframework.cache.support.NoOpCache;
import org.springframework.cache.support.NoOpCacheManager;
import org.springframework.cache.support.SimpleCacheManager;
import org.springframework.cache.transaction.TransactionAwareCacheManagerProxy;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What each caller gets, on one instance with locks in memory.
 */
class LoadOnceCacheTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	/** Long enough for a free lock, even on a busy machine. */
	private static final Duration IMPATIENCE = Duration.ofMillis(300);

	private static final LockTarget LOCK = LockTarget.of("cache:prices", "42");

	/** Both ways to load a value; the value says how often the loader was called. */
	private static final List<Function<Cache, @Nullable String>> CALLERS = List.of((cache) -> {
		AtomicInteger loads = new AtomicInteger();
		return cache.get("42", () -> "load " + loads.incrementAndGet());
	}, (cache) -> {
		AtomicInteger loads = new AtomicInteger();
		return cache
			.retrieve("42",
					() -> CompletableFuture.supplyAsync(() -> "load " + loads.incrementAndGet(), OwnThread::run))
			.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
			.join();
	});

	private final LockTemplate locks = new RedisLockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());

	private final Outcomes outcomes = new Outcomes();

	private final CacheManager plain = new ConcurrentMapCacheManager();

	private final Cache cache = cache(PATIENCE, Duration.ZERO, OnBusy.LOAD);

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	void hitTakesNoLock() {
		CacheManager caches = new LoadOnceCacheManager(this.plain, () -> {
			throw new AssertionError("asks for locks");
		}, options(PATIENCE, Duration.ZERO, OnBusy.LOAD), this.outcomes);
		get(this.plain, "prices").put("42", "old");
		Cache cache = get(caches, "prices");

		assertThat(cache.get("42", () -> "new")).isEqualTo("old");
		assertThat(cache.retrieve("42", () -> CompletableFuture.completedFuture("new"))).isCompletedWithValue("old");
		assertThat(cache.get("42", String.class)).isEqualTo("old");
		assertThat(this.outcomes.all()).isEmpty();
	}

	@Test
	void missWithoutALoaderTakesNoLock() {
		LockHandle other = this.locks.acquire(LOCK);

		assertThat(this.cache.get("42")).isNull();
		assertThat(this.cache.putIfAbsent("42", "first")).isNull();
		assertThat(this.cache.get("42", String.class)).isEqualTo("first");
		other.close();
	}

	@Test
	void loaderHoldsTheLockOfCacheAndKey() {
		boolean locked = Boolean.TRUE.equals(this.cache.get("42", () -> this.locks.isLocked(LOCK)));

		assertThat(locked).isTrue();
		Awaitility.await().until(() -> !this.locks.isLocked(LOCK));
		assertThat(this.outcomes.all()).containsExactly(Outcome.LOADED);
	}

	@Test
	void oneCallerLoadsAndTheOthersFindTheValue() throws Exception {
		AtomicInteger loads = new AtomicInteger();
		CountDownLatch release = new CountDownLatch(1);
		List<FutureTask<String>> callers = Stream.generate(() -> caller(() -> {
			release.await();
			return "load " + loads.incrementAndGet();
		})).limit(20).toList();
		awaitWaiters(19);

		release.countDown();

		for (FutureTask<String> caller : callers) {
			assertThat(caller.get(20, TimeUnit.SECONDS)).isEqualTo("load 1");
		}
		assertThat(this.outcomes.count(Outcome.LOADED)).isOne();
		assertThat(this.outcomes.count(Outcome.WAITED)).isEqualTo(19);
	}

	@Test
	void failedLoadFailsItsCallerAndTheNextOneLoads() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		FutureTask<String> first = caller(() -> {
			release.await();
			throw new IOException("source is down");
		});
		Awaitility.await().until(() -> this.locks.isLocked(LOCK));
		FutureTask<String> next = caller(() -> "next");
		awaitWaiters(1);

		release.countDown();

		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> first.get(20, TimeUnit.SECONDS))
			.withCauseInstanceOf(ValueRetrievalException.class)
			.withRootCauseInstanceOf(IOException.class);
		assertThat(next.get(20, TimeUnit.SECONDS)).isEqualTo("next");
	}

	@Test
	void loadedNullIsCached() {
		AtomicInteger loads = new AtomicInteger();
		for (int call = 0; call < 2; call++) {
			assertThat(this.cache.<@Nullable String>get("42", () -> {
				loads.incrementAndGet();
				return null;
			})).isNull();
		}
		assertThat(this.cache.<@Nullable String>retrieve("42", () -> {
			loads.incrementAndGet();
			return CompletableFuture.completedFuture("value");
		})).succeedsWithin(PATIENCE).isNull();

		assertThat(loads).hasValue(1);
	}

	@Test
	void cacheThatAllowsNoNullsRefusesThem() {
		((ConcurrentMapCacheManager) this.plain).setAllowNullValues(false);
		Cache refusing = cache(PATIENCE, Duration.ZERO, OnBusy.LOAD);

		assertThatExceptionOfType(ValueRetrievalException.class)
			.isThrownBy(() -> refusing.<@Nullable String>get("42", () -> null))
			.withCauseInstanceOf(IllegalArgumentException.class);
		assertThat(refusing.get("42", () -> "value")).isEqualTo("value");
	}

	@Test
	void loaderHoldsTheLockForKeysOfDifferentTypes() {
		List<Object> keys = List.of(42L, new SimpleKey("a", 1), Thread.State.NEW, "a:b%c");
		for (Object key : keys) {
			assertThat(this.cache.get(key, () -> this.locks.isLocked(LockTarget.of("cache:prices", key))))
				.isEqualTo(true);
		}
	}

	@Test
	void keyThatIsNotAValidLockNameIsLoadedUnderALock() {
		Object withoutText = new Object() {

			@Override
			@SuppressWarnings("NullAway")
			public String toString() {
				return null;
			}

		};
		for (Object key : List.of("", " ", "a\nb", "x".repeat(2_000), withoutText)) {
			assertThat(this.cache.get(key, () -> this.locks.local().held().size())).isEqualTo(1);
			Awaitility.await().until(() -> this.locks.local().held().isEmpty());
		}
	}

	@Test
	@SuppressWarnings("NullAway")
	void nullKeyIsRefusedWithTheNameOfTheCache() {
		for (ThrowingCallable call : List.<ThrowingCallable>of(() -> this.cache.get(null, () -> "value"),
				() -> this.cache.retrieve(null, () -> CompletableFuture.completedFuture("value")),
				() -> this.cache.put(null, "value"), () -> this.cache.evict(null))) {
			assertThatIllegalArgumentException().isThrownBy(call).withMessage("key of cache 'prices' must not be null");
		}
	}

	@Test
	void cacheWhoseNameCannotNameALockIsRefusedWhenItIsCreated() {
		CacheManager caches = around(this.plain);

		assertThatIllegalArgumentException().isThrownBy(() -> caches.getCache("a\nb"))
			.withMessage("lock name must not contain control characters but contains U+000A");
		assertThatIllegalArgumentException().isThrownBy(() -> caches.getCache("x".repeat(1_010)))
			.withMessageContaining("at most 1024 bytes")
			.withMessageContaining("'cache:xxx");
	}

	@Test
	void loaderMayLoadAnotherKey() {
		assertThat(this.cache.get("42", () -> this.cache.get("43", () -> "inner") + " and outer"))
			.isEqualTo("inner and outer");
	}

	@Test
	void callerWhoseWaitIsOverLoads() {
		Cache impatient = cache(IMPATIENCE, Duration.ZERO, OnBusy.LOAD);
		LockHandle other = this.locks.acquire(LOCK);

		assertThat(impatient.get("42", () -> "own")).isEqualTo("own");

		assertThat(this.outcomes.all()).containsExactly(Outcome.UNLOCKED);
		other.close();
	}

	@Test
	void callerWhoseWaitIsOverFailsIfConfigured() {
		Cache impatient = cache(IMPATIENCE, Duration.ZERO, OnBusy.FAIL);
		LockHandle other = this.locks.acquire(LOCK);

		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> impatient.get("42", () -> "own"))
			.withMessageContaining("cache:prices:42");
		assertThat(impatient.retrieve("42", () -> CompletableFuture.completedFuture("own"))).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class);
		assertThat(this.outcomes.all()).isEmpty();
		other.close();
	}

	@Test
	void callerWhoseWaitIsOverGetsAnOldValue() {
		for (Function<Cache, @Nullable String> caller : CALLERS) {
			Cache impatient = cache(IMPATIENCE, PATIENCE, OnBusy.FAIL);
			assertThat(caller.apply(impatient)).isEqualTo("load 1");
			Awaitility.await().until(() -> !this.locks.isLocked(LOCK));
			expire();
			LockHandle other = this.locks.acquire(LOCK);

			assertThat(impatient.get("42", () -> "new")).isEqualTo("load 1");
			assertThat(impatient.retrieve("42", () -> CompletableFuture.completedFuture("new")))
				.succeedsWithin(PATIENCE)
				.isEqualTo("load 1");

			assertThat(this.outcomes.all()).containsExactly(Outcome.LOADED, Outcome.STALE, Outcome.STALE);
			other.close();
			this.outcomes.all().clear();
		}
	}

	@Test
	void valueThatAnotherInstanceLoadedIsRememberedAsOld() throws Exception {
		Cache impatient = cache(Duration.ofSeconds(1), PATIENCE, OnBusy.FAIL);
		LockHandle other = this.locks.acquire(LOCK);
		FutureTask<String> caller = caller(impatient, () -> "own");
		awaitWaiters(1);
		get(this.plain, "prices").put("42", "theirs");
		other.close();
		assertThat(caller.get(20, TimeUnit.SECONDS)).isEqualTo("theirs");
		Awaitility.await().until(() -> !this.locks.isLocked(LOCK));
		expire();
		other = this.locks.acquire(LOCK);

		assertThat(impatient.get("42", () -> "new")).isEqualTo("theirs");

		assertThat(this.outcomes.all()).containsExactly(Outcome.WAITED, Outcome.STALE);
		other.close();
	}

	@Test
	void oldValueIsNotReturnedAfterStaleFor() {
		Cache impatient = cache(IMPATIENCE, Duration.ofMillis(50), OnBusy.LOAD);
		impatient.get("42", () -> "old");
		Awaitility.await().until(() -> !this.locks.isLocked(LOCK));
		expire();
		LockHandle other = this.locks.acquire(LOCK);

		assertThat(impatient.get("42", () -> "new")).isEqualTo("new");
		other.close();
	}

	@Test
	void evictedOrReplacedValueIsNotReturned() {
		Cache impatient = cache(IMPATIENCE, PATIENCE, OnBusy.LOAD);
		for (Runnable change : List.<Runnable>of(() -> impatient.evict("42"), () -> impatient.evictIfPresent("42"),
				impatient::clear, impatient::invalidate, () -> impatient.put("42", "replaced"))) {
			impatient.clear();
			impatient.get("42", () -> "old");
			Awaitility.await().until(() -> !this.locks.isLocked(LOCK));
			change.run();
			assertThat(impatient.get("42", String.class)).isNotEqualTo("old");
			expire();
			LockHandle other = this.locks.acquire(LOCK);

			assertThat(impatient.get("42", () -> "new")).isEqualTo("new");
			other.close();
		}
	}

	@Test
	void immediateEvictionReportsWhetherThereWasAValue() {
		this.cache.put("42", "value");
		assertThat(this.cache.evictIfPresent("42")).isTrue();
		assertThat(this.cache.evictIfPresent("42")).isFalse();

		this.cache.put("42", "value");
		assertThat(this.cache.invalidate()).isTrue();
		assertThat(this.cache.invalidate()).isFalse();
	}

	@Test
	void interruptEndsTheWait() throws Exception {
		// Longer than the test looks at the queue.
		Cache patient = cache(PATIENCE.multipliedBy(3), Duration.ZERO, OnBusy.FAIL);
		LockHandle other = this.locks.acquire(LOCK);
		FutureTask<Boolean> caller = new FutureTask<>(() -> {
			assertThatExceptionOfType(LockInterruptedException.class)
				.isThrownBy(() -> patient.get("42", () -> "value"));
			return Thread.interrupted();
		});
		Thread thread = OwnThread.start(caller);
		awaitWaiters(1);

		thread.interrupt();

		assertThat(caller.get(20, TimeUnit.SECONDS)).isTrue();
		awaitWaiters(0);
		assertThat(this.locks.isLocked(LOCK)).isTrue();
		other.close();
		assertThat(patient.get("42", () -> "next")).isEqualTo("next");
	}

	@Test
	void defaultsOfTheTemplateDoNotLimitTheWait() throws Exception {
		LockOptions defaults = LockOptions.options()
			.maxWaiters(0)
			.autoRenew(false)
			.atLeastFor(PATIENCE.multipliedBy(2));
		try (LockTemplate limited = new LockTemplate(new InMemoryLockStore(),
				LockConfiguration.defaults().options(defaults))) {
			Cache unlimited = get(new LoadOnceCacheManager(this.plain, () -> limited,
					options(PATIENCE, Duration.ZERO, OnBusy.FAIL), this.outcomes), "prices");
			CountDownLatch release = new CountDownLatch(1);
			List<FutureTask<String>> callers = Stream.generate(() -> caller(unlimited, () -> {
				release.await();
				return "value";
			})).limit(20).toList();
			awaitWaiters(limited, 19);

			release.countDown();

			for (FutureTask<String> caller : callers) {
				assertThat(caller.get(20, TimeUnit.SECONDS)).isEqualTo("value");
			}
			assertThat(this.outcomes.count(Outcome.LOADED)).isOne();
			assertThat(this.outcomes.count(Outcome.WAITED)).isEqualTo(19);
		}
	}

	@Test
	void cacheThatFailsAtTheSecondLookIsReportedAndNotUsed() {
		for (Function<Cache, @Nullable String> caller : CALLERS) {
			FailingCache failing = new FailingCache();
			failing.failFrom = 2;

			try (LogRecorder log = LogRecorder.warningsOf(LoadOnceCacheManager.class.getName())) {
				assertThat(caller.apply(around(failing, PATIENCE, Duration.ZERO))).isEqualTo("load 1");
				assertThat(log.lines()).singleElement().asString().contains("cached values have failed");
			}
			assertThat(this.outcomes.all()).containsExactly(Outcome.UNLOCKED);
			Awaitility.await().until(() -> !this.locks.isLocked(LOCK));
			this.outcomes.all().clear();
		}
	}

	@Test
	void callerGetsTheLoadedValueEvenIfItCannotBeStored() {
		for (Function<Cache, @Nullable String> caller : CALLERS) {
			FailingCache failing = new FailingCache();
			failing.failFrom = 3;
			Cache impatient = around(failing, IMPATIENCE, PATIENCE);

			assertThat(caller.apply(impatient)).isEqualTo("load 1");
			assertThat(this.outcomes.all()).containsExactly(Outcome.LOADED);

			Awaitility.await().until(() -> !this.locks.isLocked(LOCK));
			failing.failFrom = Integer.MAX_VALUE;
			LockHandle other = this.locks.acquire(LOCK);
			assertThat(impatient.get("42", () -> "new")).isEqualTo("load 1");
			assertThat(this.outcomes.all()).containsExactly(Outcome.LOADED, Outcome.STALE);
			other.close();
			this.outcomes.all().clear();
		}
	}

	@Test
	void lockIsReleasedIfTheCacheThrowsAnExceptionInsteadOfReturningAFuture() {
		FailingCache failing = new FailingCache();
		failing.throwFrom = 2;

		assertThat(around(failing, PATIENCE, Duration.ZERO).retrieve("42",
				() -> CompletableFuture.completedFuture("value")))
			.failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(UnsupportedOperationException.class);
		Awaitility.await().until(() -> !this.locks.isLocked(LOCK));
	}

	@Test
	void exceptionOfALoaderIsNotMistakenForAFailureOfTheCache() {
		AtomicInteger loads = new AtomicInteger();
		DataAccessResourceFailureException failure = new DataAccessResourceFailureException("database is down");

		assertThat(this.cache.retrieve("42", () -> {
			loads.incrementAndGet();
			throw failure;
		})).failsWithin(PATIENCE).withThrowableThat().withCause(failure);
		assertThat(this.cache.retrieve("42", () -> {
			loads.incrementAndGet();
			return CompletableFuture.failedFuture(failure);
		})).failsWithin(PATIENCE).withThrowableThat().withCause(failure);
		assertThatExceptionOfType(ValueRetrievalException.class).isThrownBy(() -> this.cache.get("42", () -> {
			loads.incrementAndGet();
			throw failure;
		})).withCause(failure);

		assertThat(loads).hasValue(3);
		assertThat(this.outcomes.all()).containsOnly(Outcome.LOADED);
	}

	@Test
	void eachOutageOfTheLocksIsLoggedOnce() {
		CountingStore store = new CountingStore(new InMemoryLockStore()) {

			@Override
			public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
				return CompletableFuture
					.failedFuture(new LockStoreException(request.target(), "no reply", null, false, false));
			}

		};
		try (LockTemplate down = new LockTemplate(store, LockConfiguration.defaults());
				LogRecorder log = LogRecorder.warningsOf(LoadOnceCacheManager.class.getName())) {
			AtomicReference<LockTemplate> present = new AtomicReference<>(this.locks);
			Cache cache = get(new LoadOnceCacheManager(this.plain, present::get,
					options(PATIENCE, Duration.ZERO, OnBusy.LOAD), this.outcomes), "prices");
			cache.get("before", () -> "value");
			assertThat(log.lines()).isEmpty();

			for (int outage = 1; outage <= 2; outage++) {
				present.set(down);
				for (String key : List.of("first", "second")) {
					assertThat(cache.get(key + outage, () -> "value")).isEqualTo("value");
					assertThat(log.lines()).hasSize(outage)
						.allSatisfy((line) -> assertThat(line).contains("loaded without locks"));
				}
				present.set(this.locks);
				cache.get("after" + outage, () -> "value");
			}

			assertThat(this.outcomes.count(Outcome.UNLOCKED)).isEqualTo(4);
		}
	}

	@Test
	void callerLoadsWithoutALockAfterTheTemplateIsClosed() {
		try (LogRecorder log = LogRecorder.warningsOf(LoadOnceCacheManager.class.getName())) {
			this.locks.close();

			assertThat(this.cache.get("42", () -> "value")).isEqualTo("value");
			assertThat(this.outcomes.all()).containsExactly(Outcome.UNLOCKED);
			assertThat(log.lines()).isEmpty();
		}
	}

	@Test
	void lockIsReleasedBeforeTheCallersTransactionEnds() {
		new TransactionTemplate(new ResourcelessTransactions()).executeWithoutResult((status) -> {
			this.cache.get("42", () -> "value");
			Awaitility.await().until(() -> !this.locks.isLocked(LOCK));
			this.cache.put("43", "at once");
			assertThat(this.cache.get("43", String.class)).isEqualTo("at once");
		});
	}

	@Test
	void asynchronousCallersShareOneLoad() {
		CompletableFuture<String> source = new CompletableFuture<>();
		AtomicInteger loads = new AtomicInteger();
		List<CompletableFuture<String>> callers = Stream.generate(() -> this.cache.retrieve("42", () -> {
			loads.incrementAndGet();
			return source;
		})).limit(20).toList();
		awaitWaiters(19);

		source.complete("value");

		assertThat(callers).allSatisfy((caller) -> assertThat(caller).succeedsWithin(PATIENCE).isEqualTo("value"));
		assertThat(loads).hasValue(1);
		assertThat(this.outcomes.count(Outcome.WAITED)).isEqualTo(19);
	}

	@Test
	void failedAsynchronousLoadFailsItsCallerAndTheNextOneLoads() {
		CompletableFuture<String> failing = this.cache.retrieve("42",
				() -> CompletableFuture.failedFuture(new IOException("source is down")));
		assertThat(failing).failsWithin(PATIENCE).withThrowableThat().withRootCauseInstanceOf(IOException.class);

		assertThat(this.cache.retrieve("42", () -> CompletableFuture.completedFuture("next"))).succeedsWithin(PATIENCE)
			.isEqualTo("next");
	}

	@Test
	void blockingCallerWaitsForAnAsynchronousLoad() throws Exception {
		CompletableFuture<String> source = new CompletableFuture<>();
		CompletableFuture<String> asynchronous = this.cache.retrieve("42", () -> source);
		Awaitility.await().until(() -> this.locks.isLocked(LOCK));
		FutureTask<String> blocking = caller(() -> "second");
		awaitWaiters(1);

		source.complete("first");

		assertThat(asynchronous).succeedsWithin(PATIENCE).isEqualTo("first");
		assertThat(blocking.get(20, TimeUnit.SECONDS)).isEqualTo("first");
	}

	@Test
	void caffeineCacheSupportsRetrieveOnlyInAsyncMode() {
		CaffeineCacheManager caffeine = new CaffeineCacheManager();
		caffeine.setCaffeine(Caffeine.newBuilder().maximumSize(10));
		Cache blocking = get(around(caffeine), "prices");
		assertThat(blocking.get("42", () -> "value")).isEqualTo("value");
		assertThatIllegalStateException()
			.isThrownBy(() -> blocking.retrieve("42", () -> CompletableFuture.completedFuture("value")));

		caffeine.setAsyncCacheMode(true);
		Cache asynchronous = get(around(caffeine), "prices");

		assertThat(asynchronous.retrieve("42", () -> CompletableFuture.completedFuture("value")))
			.succeedsWithin(PATIENCE)
			.isEqualTo("value");
		assertThat(asynchronous.get("42", () -> "other")).isEqualTo("value");
	}

	@Test
	void onlyAcceptedCachesAreChanged() {
		CacheManager caches = new LoadOnceCacheManager(this.plain, () -> this.locks,
				new LoadOnceOptions("prices"::equals, PATIENCE, Duration.ZERO, OnBusy.LOAD), this.outcomes);

		assertThat(get(caches, "prices")).isInstanceOf(LoadOnceCache.class);
		assertThat(get(caches, "quotes")).isSameAs(get(this.plain, "quotes"));
		assertThat(caches.getCacheNames()).containsExactlyInAnyOrder("prices", "quotes");
		assertThat(get(caches, "prices").getNativeCache()).isSameAs(get(this.plain, "prices").getNativeCache());
		assertThat(around(new ConcurrentMapCacheManager("quotes")).getCache("prices")).isNull();
	}

	@Test
	void cacheThatStoresNothingIsNotChanged() {
		CompositeCacheManager composite = new CompositeCacheManager(new ConcurrentMapCacheManager("quotes"));
		composite.setFallbackToNoOpCache(true);
		composite.afterPropertiesSet();

		assertThat(get(around(composite), "prices")).isNotInstanceOf(LoadOnceCache.class);
		assertThat(get(around(new NoOpCacheManager()), "prices")).isNotInstanceOf(LoadOnceCache.class);
		assertThat(get(around(composite), "quotes")).isInstanceOf(LoadOnceCache.class);
	}

	@Test
	void decoratedCacheIsNotChangedTwice() {
		CacheManager once = around(this.plain);

		for (CacheManager outer : List.of(new TransactionAwareCacheManagerProxy(once),
				new CompositeCacheManager(once))) {
			Cache twice = get(around(outer), "prices");
			twice.clear();
			assertThat(twice.get("42", () -> "value")).isEqualTo("value");
		}
		assertThat(this.outcomes.all()).containsExactly(Outcome.LOADED, Outcome.LOADED);
	}

	@Test
	void resettingTheManagerClearsItsCaches() {
		this.cache.put("42", "value");

		around(this.plain).resetCaches();

		assertThat(this.cache.get("42")).isNull();
	}

	private FutureTask<String> caller(Callable<String> loader) {
		return caller(this.cache, loader);
	}

	private static FutureTask<String> caller(Cache cache, Callable<String> loader) {
		FutureTask<String> caller = new FutureTask<>(() -> cache.get("42", loader));
		OwnThread.run(caller);
		return caller;
	}

	private void awaitWaiters(int number) {
		awaitWaiters(this.locks, number);
	}

	private static void awaitWaiters(LockTemplate locks, int number) {
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> locks.local().waiting().stream().mapToInt((waiting) -> waiting.callers()).sum() == number);
	}

	private void expire() {
		get(this.plain, "prices").evict("42");
	}

	private Cache cache(Duration waitTime, Duration staleFor, OnBusy onBusy) {
		return get(new LoadOnceCacheManager(this.plain, () -> this.locks, options(waitTime, staleFor, onBusy),
				this.outcomes), "prices");
	}

	private CacheManager around(CacheManager caches) {
		return new LoadOnceCacheManager(caches, () -> this.locks, options(PATIENCE, Duration.ZERO, OnBusy.LOAD),
				this.outcomes);
	}

	private Cache around(Cache cache, Duration waitTime, Duration staleFor) {
		SimpleCacheManager caches = new SimpleCacheManager();
		caches.setCaches(List.of(cache));
		caches.initializeCaches();
		return get(new LoadOnceCacheManager(caches, () -> this.locks, options(waitTime, staleFor, OnBusy.LOAD),
				this.outcomes), "prices");
	}

	private static LoadOnceOptions options(Duration waitTime, Duration staleFor, OnBusy onBusy) {
		return new LoadOnceOptions((name) -> true, waitTime, staleFor, onBusy);
	}

	private static Cache get(CacheManager caches, String name) {
		return Objects.requireNonNull(caches.getCache(name));
	}

	/**
	 * A cache in which look-ups fail, from one of them on. A load with a loader looks up
	 * the value, and fails when it stores it.
	 */
	private static final class FailingCache extends ConcurrentMapCache {

		private final AtomicInteger looks = new AtomicInteger();

		private int failFrom = Integer.MAX_VALUE;

		private int throwFrom = Integer.MAX_VALUE;

		FailingCache() {
			super("prices");
		}

		@Override
		protected @Nullable Object lookup(Object key) {
			requireWorking(this.looks.incrementAndGet());
			return super.lookup(key);
		}

		@Override
		public <T> @Nullable T get(Object key, Callable<T> loader) {
			T value = new NoOpCache(getName()).get(key, loader);
			requireWorking(this.looks.incrementAndGet());
			put(key, value);
			return value;
		}

		@Override
		public @Nullable CompletableFuture<?> retrieve(Object key) {
			if (this.looks.get() + 1 >= this.throwFrom) {
				throw new UnsupportedOperationException("no futures");
			}
			return CompletableFuture.completedFuture(key).thenApply(this::get);
		}

		@Override
		public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> loader) {
			return loader.get().thenApply((value) -> {
				requireWorking(this.looks.incrementAndGet());
				put(key, value);
				return value;
			});
		}

		private void requireWorking(int look) {
			if (look >= this.failFrom) {
				throw new QueryTimeoutException("the cache does not reply");
			}
		}

	}

}
