package io.github.redislock.leadership;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.LogRecorder;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.support.GenericApplicationContext;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("promise-15")
class LockLeadershipTests {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final LockOptions OPTIONS = LockOptions.options().timeout(LEASE);

	private static final String LOCK = "leader:mailer";

	private final ManualLockTimer timer = new ManualLockTimer();

	private final InMemoryLockStore memory = new InMemoryLockStore(this.timer);

	/** How the store fails, if set. */
	private volatile @Nullable Fault fault;

	private final LockTemplate locks = new LockTemplate(faulty(this.memory),
			LockConfiguration.defaults().timer(this.timer));

	private final LockLeadership mailer = new LockLeadership("mailer", this.locks, OPTIONS);

	private final LockLeadership other = new LockLeadership("mailer", this.locks, OPTIONS);

	/** Releases the listeners that block in some tests. */
	private final CountDownLatch end = new CountDownLatch(1);

	private final List<String> told = new CopyOnWriteArrayList<>();

	private final LogRecorder log = LogRecorder.debugOf(LockLeadership.class.getName());

	@AfterEach
	void close() {
		this.end.countDown();
		this.fault = null;
		this.mailer.stop();
		this.other.stop();
		// Ends the wait for renewals without a reply.
		this.timer.advance(LEASE);
		this.locks.close();
		this.log.close();
	}

	@Test
	void roleIsACandidateAtStartupUnlessConfiguredOtherwise() {
		this.other.setAutoStartup(false);
		try (GenericApplicationContext context = new GenericApplicationContext()) {
			context.registerBean("mailer", LockLeadership.class, () -> this.mailer);
			context.registerBean("other", LockLeadership.class, () -> this.other);

			context.refresh();

			assertThat(this.mailer.isRunning()).isTrue();
			assertThat(this.other.isRunning()).isFalse();
		}
	}

	@Test
	void eachOutageOfACandidateIsLoggedAndFollowedByAPause() {
		this.fault = Fault.FAILURE;
		long begin = System.nanoTime();
		this.mailer.start();
		Awaitility.await().until(this.mailer::isLeader);
		awaitFailedCandidacies(1);
		assertThat(System.nanoTime() - begin).as("pause").isGreaterThanOrEqualTo(1_000_000_000);

		this.fault = Fault.FAILURE;
		this.mailer.resign();

		awaitFailedCandidacies(2);
	}

	private void awaitFailedCandidacies(int count) {
		Awaitility.await()
			.until(() -> this.log.lines()
				.stream()
				.filter((line) -> line.contains("could not become a candidate"))
				.count() == count);
	}

	@Test
	void termIsTheFencingTokenOfTheLock() {
		assertThat(this.mailer.isLeader()).isFalse();
		assertThat(this.mailer.term()).isEmpty();
		assertThat(this.mailer.leader()).isEmpty();

		lead(this.mailer);

		LockState leader = this.mailer.leader().orElseThrow();
		assertThat(this.mailer.term()).hasValue(leader.fencingToken());
		assertThat(leader.name()).isEqualTo(LOCK);
		assertThat(leader.since()).isEqualTo(this.timer.now());
	}

	@Test
	void renewedLeadershipContinuesWithoutWarnings() {
		try (LogRecorder engine = LogRecorder.warningsOf("io.github.redislock.internal.engine")) {
			lead(this.mailer);
			long term = term(this.mailer);

			this.timer.advance(Duration.ofDays(1));

			assertThat(term(this.mailer)).isEqualTo(term);
			assertThat(engine.lines()).isEmpty();
		}
	}

	@Test
	void leadershipIsRenewedEvenIfTheTemplateDoesNotRenewLocks() {
		LockConfiguration defaults = LockConfiguration.defaults().timer(this.timer).options(OPTIONS.autoRenew(false));
		try (LockTemplate unrenewed = new LockTemplate(this.memory, defaults)) {
			LockLeadership leadership = new LockLeadership("mailer", unrenewed);
			lead(leadership);
			long term = term(leadership);

			this.timer.advance(LEASE.multipliedBy(3));

			assertThat(term(leadership)).isEqualTo(term);
			leadership.stop();
		}
	}

	@Test
	void leadershipEndsAtTheDeadlineIfTheStoreIsSilent() {
		tell(this.mailer, "A");
		lead(this.mailer);
		this.fault = Fault.SILENCE;
		Duration left = remaining();

		this.timer.advance(left.minusNanos(1));
		assertThat(this.mailer.isLeader()).isTrue();
		this.timer.advance(Duration.ofNanos(1));

		assertThat(this.mailer.isLeader()).isFalse();
		assertThat(this.mailer.term()).isEmpty();
		awaitTold("A granted", "A revoked");
	}

	@Test
	void soleCandidateLeadsAgainAfterItLostItsLock() {
		tell(this.mailer, "A");
		lead(this.mailer);
		long first = term(this.mailer);

		this.locks.forceRelease(LockTarget.of(LOCK));
		this.timer.advance(LEASE);

		awaitTold("A granted", "A revoked", "A granted");
		assertThat(term(this.mailer)).isGreaterThan(first);
	}

	@Test
	void resigningLeaderQueuesBehindTheOtherCandidate() {
		lead(this.mailer);
		this.other.start();
		awaitCandidates(1);
		long first = term(this.mailer);

		this.mailer.resign().join();

		assertThat(this.mailer.isLeader()).isFalse();
		Awaitility.await().until(this.other::isLeader);
		assertThat(term(this.other)).isGreaterThan(first);
		assertThat(this.mailer.leader().orElseThrow().fencingToken()).isEqualTo(term(this.other));

		awaitCandidates(1);
		this.other.resign().join();
		Awaitility.await().until(this.mailer::isLeader);
	}

	@Test
	void resignationOfACandidateHasNoEffect() {
		LockHandle elsewhere = this.locks.acquire(LockTarget.of(LOCK));
		this.mailer.start();
		awaitCandidates(1);

		assertThat(this.mailer.resign()).isCompleted();

		elsewhere.release();
		Awaitility.await().until(this.mailer::isLeader);
	}

	@Test
	void resignedLeaderHoldsTheLockUntilItsListenersHaveEnded() {
		this.mailer.onRevoked((term) -> await(this.end));
		lead(this.mailer);
		this.other.start();
		awaitCandidates(1);

		CompletableFuture<Void> resigned = this.mailer.resign();

		assertThat(this.mailer.isLeader()).isFalse();
		this.timer.advance(LEASE.multipliedBy(3));
		assertThat(resigned).isNotDone();
		assertThat(this.other.isLeader()).isFalse();
		this.end.countDown();
		resigned.join();
		Awaitility.await().until(this.other::isLeader);
	}

	@Test
	void listenersAreCalledInOrderAndOneAtATime() {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		for (String name : List.of("A", "B", "C")) {
			this.mailer.onGranted((term) -> {
				most.accumulateAndGet(inside.incrementAndGet(), Math::max);
				this.told.add(name + " granted");
				Thread.yield();
				inside.decrementAndGet();
			});
			this.mailer.onRevoked((term) -> {
				most.accumulateAndGet(inside.incrementAndGet(), Math::max);
				this.told.add(name + " revoked");
				Thread.yield();
				inside.decrementAndGet();
			});
		}

		lead(this.mailer);
		this.mailer.resign().join();

		awaitTold("A granted", "B granted", "C granted", "A revoked", "B revoked", "C revoked", "A granted",
				"B granted", "C granted");
		assertThat(most).hasValue(1);
	}

	@Test
	void lossDuringAGrantNotificationIsReportedAfterIt() {
		this.mailer.onGranted((term) -> {
			this.told.add("slow granted");
			await(this.end);
			this.told.add("slow ended");
		});
		tell(this.mailer, "A");
		this.mailer.start();
		awaitTold("slow granted");
		this.fault = Fault.SILENCE;

		this.timer.advance(LEASE);

		assertThat(this.mailer.isLeader()).isFalse();
		assertThat(this.told).containsExactly("slow granted");
		this.end.countDown();
		// The second listener is not notified of a leadership that is over.
		awaitTold("slow granted", "slow ended", "A revoked");
	}

	@Test
	void nextTermBeginsAfterTheRevocationListenersHaveReturned() {
		this.mailer.onRevoked((term) -> await(this.end));
		lead(this.mailer);

		this.locks.forceRelease(LockTarget.of(LOCK));
		this.timer.advance(LEASE);
		Awaitility.await().until(() -> !this.mailer.isLeader());

		assertThat(this.locks.isLocked(LockTarget.of(LOCK))).isFalse();
		this.end.countDown();
		Awaitility.await().until(this.mailer::isLeader);
	}

	@Test
	void failingListenerDoesNotAffectTheLeadership() {
		this.mailer.onGranted((term) -> {
			throw new IllegalStateException("no mailbox");
		});
		this.mailer.onRevoked((term) -> {
			throw new AssertionError("no mailbox");
		});
		tell(this.mailer, "A");

		lead(this.mailer);
		this.mailer.resign().join();

		awaitTold("A granted", "A revoked", "A granted");
		assertThat(this.log.lines()).filteredOn((line) -> line.contains("a listener failed"))
			.hasSize(3)
			.allSatisfy((line) -> assertThat(line).startsWith("ERROR Role 'mailer'"));
	}

	@Test
	void lateListenerIsNotifiedOnceOfTheCurrentLeadership() {
		lead(this.mailer);

		tell(this.mailer, "A");

		awaitTold("A granted");
		this.mailer.resign().join();
		awaitTold("A granted", "A revoked", "A granted");
	}

	@Test
	void stoppedLeaderIsNotACandidateUntilRestarted() {
		tell(this.mailer, "A");
		lead(this.mailer);

		this.mailer.stop();

		assertThat(this.told).containsExactly("A granted", "A revoked");
		assertThat(this.mailer.isRunning()).isFalse();
		assertThat(this.locks.isLocked(LockTarget.of(LOCK))).isFalse();
		assertThat(this.locks.local().waiting()).isEmpty();

		lead(this.mailer);
	}

	@Test
	void stoppedCandidateLeavesTheQueue() {
		LockHandle elsewhere = this.locks.acquire(LockTarget.of(LOCK));
		this.mailer.start();
		awaitCandidates(1);

		this.mailer.stop();

		Awaitility.await().until(() -> this.locks.local().waiting().isEmpty());
		elsewhere.release();
		assertThat(this.mailer.isLeader()).isFalse();
		assertThat(this.locks.isLocked(LockTarget.of(LOCK))).isFalse();
	}

	@Test
	void closedTemplateEndsLeadershipAndCandidacy() {
		tell(this.mailer, "A");
		lead(this.mailer);

		this.locks.close();

		awaitTold("A granted", "A revoked");
		Awaitility.await().until(() -> !this.mailer.isRunning());
	}

	@Test
	void eventsContainRoleAndTerm() {
		List<Object> events = new CopyOnWriteArrayList<>();
		this.mailer.setApplicationEventPublisher(events::add);

		lead(this.mailer);
		long term = term(this.mailer);
		this.mailer.stop();

		assertThat(events).containsExactly(new LeadershipGrantedEvent("mailer", term),
				new LeadershipRevokedEvent("mailer", term));
		assertThat(this.mailer.role()).isEqualTo("mailer");
	}

	@Test
	void listenersRunOnDaemonThreadsWithTheClassLoaderOfTheCreator() {
		ClassLoader own = new ClassLoader() {
		};
		List<Boolean> asExpected = new CopyOnWriteArrayList<>();
		LockLeadership leadership = createdWith(own);
		leadership.onRevoked((term) -> {
			asExpected.add(Thread.currentThread().isDaemon());
			asExpected.add(own.equals(Thread.currentThread().getContextClassLoader()));
		});
		lead(leadership);

		leadership.stop();

		assertThat(asExpected).containsExactly(true, true);
	}

	private LockLeadership createdWith(ClassLoader classLoader) {
		ClassLoader usual = Thread.currentThread().getContextClassLoader();
		Thread.currentThread().setContextClassLoader(classLoader);
		try {
			return new LockLeadership("mailer", this.locks, OPTIONS);
		}
		finally {
			Thread.currentThread().setContextClassLoader(usual);
		}
	}

	/**
	 * The future of the first candidacy is cancelled later than the engine would do it.
	 */
	@Test
	void candidateRestartedBeforeItsCancellationRequestsTheLockAgain() {
		CompletableFuture<AsyncLockHandle> first = new CompletableFuture<>() {

			@Override
			public boolean cancel(boolean mayInterruptIfRunning) {
				return false;
			}

		};
		Queue<CompletableFuture<AsyncLockHandle>> requests = queue(first);
		LockLeadership restarted = new LockLeadership("restarted", granting(requests));
		restarted.start();
		awaitSteps("restarted");
		restarted.stop();
		restarted.start();
		awaitSteps("restarted");
		assertThat(requests).hasSize(1);

		first.completeExceptionally(new CancellationException());

		Awaitility.await("second request").until(requests::isEmpty);
		restarted.stop();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void termOfALockThatIsAlreadyLostDoesNotBegin(boolean replies) {
		CompletableFuture<Boolean> ours = replies ? CompletableFuture.completedFuture(false) : CompletableFuture
			.failedFuture(new LockStoreException(LockTarget.of(LOCK), "no reply", null, true, true));
		Map<String, ?> answers = Map.of("isHeld", false, "verify", ours, "fencingToken", 7L, "release",
				CompletableFuture.completedFuture(ReleaseOutcome.NOT_HELD));
		AsyncLockHandle lost = proxy(AsyncLockHandle.class, (method) -> answers.get(method));
		Queue<CompletableFuture<AsyncLockHandle>> requests = queue(CompletableFuture.completedFuture(lost));
		LockLeadership leadership = new LockLeadership("mailer", granting(requests));
		tell(leadership, "A");

		leadership.start();

		Awaitility.await("next candidacy").until(requests::isEmpty);
		assertThat(this.told).isEmpty();
		leadership.stop();
	}

	/**
	 * Return a first candidacy, followed by one that waits.
	 */
	private static Queue<CompletableFuture<AsyncLockHandle>> queue(CompletableFuture<AsyncLockHandle> first) {
		return new ConcurrentLinkedQueue<>(List.of(first, new CompletableFuture<>()));
	}

	private static LockOperations granting(Queue<CompletableFuture<AsyncLockHandle>> requests) {
		AsyncLockOperations async = proxy(AsyncLockOperations.class, (method) -> requests.remove());
		return proxy(LockOperations.class, (method) -> async);
	}

	private static <T> T proxy(Class<T> type, Function<String, @Nullable Object> answers) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> answers.apply(method.getName())));
	}

	private static void awaitSteps(String role) {
		Awaitility.await("steps")
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.noneMatch((thread) -> thread.getName().equals("redis-lock-leader-" + role)));
	}

	/**
	 * Let a candidate lead, and wait until its listeners were notified.
	 */
	private void lead(LockLeadership candidate) {
		CompletableFuture<Long> last = new CompletableFuture<>();
		candidate.onGranted(last::complete);
		candidate.start();
		Awaitility.await("leader").until(last::isDone);
	}

	private void awaitCandidates(int callers) {
		Awaitility.await("candidates")
			.until(() -> this.locks.local()
				.waiting()
				.stream()
				.mapToInt((waiting) -> waiting.callers())
				.sum() == callers);
	}

	private void tell(LockLeadership leadership, String name) {
		leadership.onGranted((term) -> this.told.add(name + " granted"));
		leadership.onRevoked((term) -> this.told.add(name + " revoked"));
	}

	private void awaitTold(String... expected) {
		Awaitility.await("what was told").untilAsserted(() -> assertThat(this.told).containsExactly(expected));
	}

	private Duration remaining() {
		return this.locks.local().held().get(0).remaining();
	}

	private static long term(Leadership leadership) {
		return leadership.term().orElseThrow();
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private LockStore faulty(LockStore store) {
		return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, arguments) -> {
					Fault present = this.fault;
					if (present == Fault.FAILURE && method.getName().equals("acquire")) {
						this.fault = null;
						return CompletableFuture.failedFuture(
								new LockStoreException(LockTarget.of(LOCK), "not permitted", null, false, false));
					}
					if (present == Fault.SILENCE && method.getName().equals("renew")) {
						return ((List<?>) arguments[0]).stream().map((renewal) -> new CompletableFuture<>()).toList();
					}
					return ReflectionUtils.invokeMethod(method, store, arguments);
				});
	}

	private enum Fault {

		/** The next request for the lock fails. */
		FAILURE,

		/** Renewals get no reply. */
		SILENCE

	}

}
