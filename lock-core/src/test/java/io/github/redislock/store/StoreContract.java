package io.github.redislock.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.RealTime;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests what every store promises to the engine about a lock with room for one holder: an
 * exclusive lock, or a lock with one permit.
 */
public abstract class StoreContract {

	static final Duration MINUTE = Duration.ofMinutes(1);

	/** Long enough for the slowest machine. */
	static final Duration CLAIM = Duration.ofSeconds(20);

	static final Duration SILENCE = Duration.ofMillis(3_100);

	final String name = "contract:" + UUID.randomUUID();

	final LockTarget target = target(this.name);

	final LockTarget other = target(this.name + ":other");

	final BlockingQueue<HandOver> handOvers = new LinkedBlockingQueue<>();

	LockStore store;

	private final Map<String, AcquireRequest> queued = new ConcurrentHashMap<>();

	protected abstract LockStore createStore();

	/**
	 * Return a lock with room for one holder.
	 */
	abstract LockTarget target(String name);

	/**
	 * Let time pass for the store.
	 */
	protected void elapse(Duration duration) {
		RealTime.elapse(duration);
	}

	/**
	 * Make all waiters of a lock look silent for that long, if that takes no real time.
	 */
	protected void fallSilent(LockTarget target, Duration duration) {
		elapse(duration);
	}

	/**
	 * Return whether the store has a queue and hands locks over to its waiters.
	 */
	protected boolean handsOver() {
		return true;
	}

	@BeforeEach
	protected void openStore() {
		this.store = createStore();
		listen();
	}

	final void listen() {
		this.store.listen(new HandOverListener() {

			@Override
			public void handedOver(HandOver handOver) {
				StoreContract.this.handOvers.add(handOver);
			}

			@Override
			public void turnHasCome(String requestId) {
				askAgain(Objects.requireNonNull(StoreContract.this.queued.get(requestId)));
			}

			@Override
			public void changed() {
				// A waiter would retry.
			}

		});
	}

	@AfterEach
	protected void closeStore() {
		this.store.close();
	}

	@Test
	void freeLockIsGranted() {
		assertThat(acquire("a")).isInstanceOf(AcquireReply.Granted.class);

		assertThat(inspect()).hasValueSatisfying((state) -> {
			assertThat(state.owner()).isEqualTo("a");
			assertThat(state.name()).isEqualTo(this.name);
			assertThat(state.since()).isNotNull();
			assertThat(state.freeIn()).isBetween(MINUTE.minusSeconds(5), MINUTE);
		});
	}

	@Test
	void refusalOfAHeldLockNamesTheHolder() {
		long token = granted("a");

		LockState holder = held(acquire("b"));

		assertThat(holder.owner()).isEqualTo("a");
		assertThat(holder.fencingToken()).isEqualTo(token);
		assertThat(holder.freeIn()).isPositive().isLessThanOrEqualTo(MINUTE);
	}

	@Test
	void repeatedRequestIsGrantedAgainWithNoSmallerToken() {
		AcquireRequest request = request("a", MINUTE);

		assertGrantedAgain(join(this.store.acquire(request)), join(this.store.acquire(request)));
	}

	final void assertGrantedAgain(AcquireReply first, AcquireReply second) {
		if (handsOver()) {
			assertThat(second).isEqualTo(first).isInstanceOf(AcquireReply.Granted.class);
		}
		else {
			// A server that granted late may have returned its own, greater token in the
			// meantime.
			assertThat(token(second)).isGreaterThanOrEqualTo(token(first));
		}
	}

	@Test
	void furtherRequestOfTheOwnerExtendsButDoesNotShortenTheLease() {
		join(this.store.acquire(request("a", Duration.ofSeconds(10))));

		join(this.store.acquire(request("a", MINUTE)));
		assertThat(freeIn()).isGreaterThan(Duration.ofSeconds(50));

		join(this.store.acquire(request("a", Duration.ofSeconds(10))));
		assertThat(freeIn()).isGreaterThan(Duration.ofSeconds(50));
	}

	@Test
	void fencingTokensGrowWithEveryHold() {
		long first = granted("a");
		release("a");
		long second = granted("b");
		release("b");
		long third = granted("a");

		assertThat(first).isLessThan(second);
		assertThat(second).isLessThan(third);
	}

	@Test
	void releasedLockIsFree() {
		granted("a");

		assertThat(release("a")).isTrue();

		assertThat(inspect()).isEmpty();
		assertThat(acquire("b")).isInstanceOf(AcquireReply.Granted.class);
	}

	@Test
	void releaseDoesNotAffectTheLockOfAnotherOwner() {
		granted("a");
		release("a");
		granted("b");

		assertThat(release("a")).isFalse();

		assertThat(inspect().orElseThrow().owner()).isEqualTo("b");
	}

	@Test
	void releaseOfALockNeverHeldIsRefused() {
		assertThat(release("a")).isFalse();
	}

	@Test
	void releaseCanKeepTheLockHeldForAWhile() {
		AcquireRequest a = acquired("a");

		join(this.store.release(a, Duration.ofSeconds(30)));

		LockState holder = held(acquire("b"));
		assertThat(holder.owner()).isEqualTo("a");
		assertThat(holder.freeIn()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(30));
	}

	@Test
	void lockKeptAfterReleaseIsFreeAfterwards() {
		keptBriefly(acquired("a"));

		assertThat(acquire("b")).isInstanceOf(AcquireReply.Granted.class);
	}

	@Test
	void lockExpires() {
		acquireBriefly("a", Duration.ofMillis(200));

		elapse(Duration.ofMillis(200));

		assertThat(inspect()).isEmpty();
		assertThat(renew("a", MINUTE)).isFalse();
		assertThat(acquire("b")).isInstanceOf(AcquireReply.Granted.class);
	}

	@Test
	void renewalSetsALongerOrAShorterLease() {
		granted("a");

		assertThat(renew("a", MINUTE.multipliedBy(10))).isTrue();
		assertThat(freeIn()).isGreaterThan(MINUTE.multipliedBy(9));

		assertThat(renew("a", Duration.ofSeconds(5))).isTrue();
		assertThat(freeIn()).isLessThanOrEqualTo(Duration.ofSeconds(5));
	}

	@Test
	void renewalsSentTogetherGetTheirOwnReplies() {
		LockTarget free = target(this.name + ":free");
		granted("a");
		acquired("b", this.other);

		List<CompletionStage<Boolean>> replies = this.store
			.renew(List.of(new RenewRequest(this.target, "a", MINUTE.multipliedBy(10)),
					new RenewRequest(free, "a", MINUTE), new RenewRequest(this.other, "a", MINUTE.multipliedBy(10)),
					new RenewRequest(this.other, "b", Duration.ofSeconds(5))));

		assertThat(replies.stream().map(StoreContract::join)).containsExactly(true, false, false, true);
		assertThat(freeIn()).isGreaterThan(MINUTE.multipliedBy(9));
		assertThat(join(this.store.inspect(this.other)))
			.hasValueSatisfying((state) -> assertThat(state.freeIn()).isLessThanOrEqualTo(Duration.ofSeconds(5)));
		assertThat(join(this.store.inspect(free))).isEmpty();
	}

	@Test
	void renewalByANonOwnerIsRefused() {
		granted("a");

		assertThat(renew("b", MINUTE.multipliedBy(10))).isFalse();

		assertThat(freeIn()).isLessThanOrEqualTo(MINUTE);
	}

	@Test
	void withdrawalRevokesAGrant() {
		AcquireRequest a = acquired("a");

		withdraw(a);

		assertThat(inspect()).isEmpty();
	}

	@Test
	void withdrawnRequestThatArrivesLateIsNotGranted() {
		AcquireRequest request = request("a", MINUTE);

		withdraw(request);

		assertThat(join(this.store.acquire(request))).isInstanceOf(AcquireReply.Withdrawn.class);
		assertThat(inspect()).isEmpty();
	}

	@Test
	void withdrawalDoesNotAffectAnotherRequestOfTheSameOwner() {
		acquired("job-17");
		AcquireRequest second = acquired("job-17");

		withdraw(second);

		assertThat(inspect().orElseThrow().owner()).isEqualTo("job-17");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void withdrawalCanKeepTheLockHeldForAWhile(boolean replied) {
		AcquireRequest a = acquired("a");

		join(this.store.withdraw(a, Duration.ofSeconds(20), replied));

		assertThat(freeIn()).isLessThanOrEqualTo(Duration.ofSeconds(20));
		if (!replied) {
			assertThat(join(this.store.acquire(a))).as("late").isInstanceOf(AcquireReply.Withdrawn.class);
		}
	}

	@Test
	void lockKeptByAWithdrawalIsFreeAfterwards() {
		AcquireRequest a = acquired("a");

		join(this.store.withdraw(a, Duration.ofMillis(200), false));
		elapse(Duration.ofMillis(200));

		assertThat(inspect()).isEmpty();
		assertThat(join(this.store.acquire(a))).as("late").isInstanceOf(AcquireReply.Withdrawn.class);
	}

	@Test
	void withdrawalDoesNotShortenTheLeaseOfAnotherOwner() {
		granted("b");

		join(this.store.withdraw(request("a", MINUTE), Duration.ofSeconds(1), false));

		assertThat(freeIn()).isGreaterThan(Duration.ofSeconds(30));
	}

	@Test
	void forceReleaseFreesTheLockAndItsHoldersReleaseReportsLoss() {
		long first = granted("a");

		assertThat(forceRelease()).isTrue();

		assertThat(inspect()).isEmpty();
		assertThat(release("a")).isFalse();
		assertThat(forceRelease()).as("free").isFalse();
		assertThat(granted("b")).isGreaterThan(first);
	}

	@Test
	void forceReleaseOfAFormerHolderDoesNotAffectTheCurrentOne() {
		granted("b");
		LockState b = inspect().orElseThrow();
		release("b");
		granted("a");
		LockState a = inspect().orElseThrow();

		assertThat(join(this.store.forceRelease(this.target, b))).isFalse();
		assertThat(inspect()).hasValueSatisfying((state) -> assertThat(state.owner()).isEqualTo("a"));
		assertThat(join(this.store.forceRelease(this.target, a))).isTrue();
		assertThat(inspect()).isEmpty();
		assertThat(join(this.store.forceRelease(this.target, a))).isFalse();
	}

	@Test
	void locksWithDifferentNamesAreIndependent() {
		granted("a");

		AcquireRequest b = acquired("b", this.other);
		release(b);

		assertThat(inspect().orElseThrow().owner()).isEqualTo("a");
	}

	// queue

	@Test
	void waiterIsQueuedAndCounted() {
		assumeQueue();
		granted("a");
		assertThat(inspect().orElseThrow().waiters()).isZero();
		AcquireReply.Held refused = refused(request("b", MINUTE));
		assertThat(refused.queued()).as("does not wait").isFalse();
		assertThat(refused.notified()).as("does not wait").isFalse();

		queued("c");
		queued("d");

		assertThat(inspect().orElseThrow().waiters()).isEqualTo(2);
		assertThat(held(acquire("e")).waiters()).isEqualTo(2);
		assertThat(refused(waiting("f")).queued()).isTrue();
	}

	@Test
	void releasedLockIsHandedOverInOrderOfArrival() {
		AcquireRequest a = request("a", MINUTE);
		long token = token(join(this.store.acquire(a)));
		AcquireRequest b = queued("b");
		AcquireRequest c = queued("c");
		AcquireRequest d = queued("d");
		join(this.store.acquire(b.sentAs(new AcquireRequest.Attempt(Long.MIN_VALUE))));

		assertThat(release(a)).isTrue();
		HandOver first = handOver();
		assertAskedAt(Long.MIN_VALUE, first);
		assertThat(first.fencingToken()).isGreaterThan(token);
		assertHandedTo(b, first);
		release(b);
		HandOver second = handOver();
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		assertHandedTo(c, second);
		release(c);
		assertHandedTo(d, handOver());
		release(d);

		assertThat(inspect()).isEmpty();
		assertThat(this.handOvers).isEmpty();
	}

	@Test
	void handedOverLockLastsForTheClaimAndForTheWholeLeaseOnceClaimed() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		release(a);
		HandOver handOver = handOver();
		assertThat(freeIn()).isLessThanOrEqualTo(CLAIM);

		AcquireReply reply = join(this.store.acquire(b));

		assertThat(token(reply)).isEqualTo(handOver.fencingToken());
		assertThat(freeIn()).isGreaterThan(Duration.ofSeconds(50));
		assertThat(inspect().orElseThrow().waiters()).isZero();
	}

	@Test
	void unusedClaimExpires() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued(new AcquireRequest(this.target, "b", id(), MINUTE, 1, Duration.ofMillis(200)));
		AcquireRequest c = queued("c");
		release(a);
		assertThat(handOver().requestId()).isEqualTo(b.requestId());

		elapse(Duration.ofMillis(200));

		assertThat(join(this.store.acquire(c))).isInstanceOf(AcquireReply.Granted.class);
	}

	@Test
	void lockKeptAfterReleaseIsNotHandedOver() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");

		join(this.store.release(a, Duration.ofSeconds(30)));

		assertThat(refused(b).holder().owner()).isEqualTo("a");
		assertThat(this.handOvers).isEmpty();
	}

	@Test
	void duplicateReleaseAfterHandOverReturnsTheSameOutcome() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");

		assertThat(release(a)).isTrue();
		assertThat(release(a)).isTrue();

		assertHandedTo(b, handOver());
		assertThat(release("a")).as("another request").isFalse();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void laterCallerDoesNotOvertakeAWaiter(boolean waits) {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		keptBriefly(a);
		AcquireRequest c = waits ? waiting("c") : request("c", MINUTE);

		LockState holder = refused(c).holder();

		assertThat(holder.owner()).isEqualTo("b");
		assertThat(holder.waiters()).isEqualTo(waits ? 1 : 0);
		assertHandedTo(b, handOver());
		release(b);
		if (waits) {
			assertHandedTo(c, handOver());
		}
	}

	@Test
	void firstWaiterTakesAnExpiredLockForItsWholeLease() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		queued("c");
		keptBriefly(a);

		assertThat(join(this.store.acquire(b))).isInstanceOf(AcquireReply.Granted.class);

		assertThat(freeIn()).isGreaterThan(Duration.ofSeconds(50));
		assertThat(inspect().orElseThrow().waiters()).isEqualTo(1);
		assertThat(this.handOvers).isEmpty();
	}

	@Test
	void silentWaiterIsPassedOver() {
		AcquireRequest a = acquired("a");
		queued("b");
		AcquireRequest c = queued("c");

		fallSilent(LockTarget.of(this.name), SILENCE);
		join(this.store.acquire(c));
		release(a);

		assertHandedTo(c, handOver());
		assertThat(inspect().orElseThrow().waiters()).isZero();
	}

	@Test
	void releasedLockIsFreeIfItsOnlyWaiterIsSilent() {
		AcquireRequest a = acquired("a");
		queued("b");

		fallSilent(LockTarget.of(this.name), SILENCE);

		assertThat(release(a)).isTrue();
		assertThat(inspect()).isEmpty();
		assertThat(this.handOvers).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void withdrawnWaiterIsNotHandedTheLock(boolean replied) {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		AcquireRequest c = queued("c");

		join(this.store.withdraw(b, Duration.ZERO, replied));

		assertThat(inspect().orElseThrow().owner()).isEqualTo("a");
		assertThat(inspect().orElseThrow().waiters()).isEqualTo(1);
		if (!replied) {
			assertThat(join(this.store.acquire(b))).as("late").isInstanceOf(AcquireReply.Withdrawn.class);
		}
		release(a);
		assertHandedTo(c, handOver());
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void withdrawnGrantIsPassedOn(boolean replied) {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		AcquireRequest c = queued("c");
		release(a);
		assertHandedTo(b, handOver());

		join(this.store.withdraw(b, Duration.ZERO, replied));

		assertHandedTo(c, handOver());
	}

	@Test
	void forceReleaseHandsTheLockOverAndItsHoldersReleaseReportsLoss() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");

		assertThat(forceRelease()).isTrue();

		assertHandedTo(b, handOver());
		assertThat(release(a)).isFalse();
		assertThat(renew("a", MINUTE)).isFalse();
	}

	@Test
	void secondRequestOfTheNewHolderIsGrantedAndStopsWaiting() {
		AcquireRequest a = acquired("a");
		queued("job-17");
		AcquireRequest second = queued("job-17");
		release(a);
		long token = handOver().fencingToken();

		assertThat(token(join(this.store.acquire(second)))).isEqualTo(token);

		assertThat(release(second)).isTrue();
		assertThat(inspect()).isEmpty();
	}

	/**
	 * Assert that a hand-over has the time of the last question, or none soon after the
	 * first one.
	 */
	static void assertAskedAt(long time, HandOver handOver) {
		assertThat(Objects.requireNonNullElse(handOver.askedAt(), time)).isEqualTo(time);
	}

	final void assertHandedTo(AcquireRequest expected, HandOver actual) {
		assertThat(actual.requestId()).isEqualTo(expected.requestId());
		LockState holder = inspect().orElseThrow();
		assertThat(holder.owner()).isEqualTo(expected.owner());
		assertThat(holder.fencingToken()).isEqualTo(actual.fencingToken());
	}

	final HandOver handOver() {
		try {
			HandOver next = this.handOvers.poll(10, TimeUnit.SECONDS);
			assertThat(next).as("hand-over").isNotNull();
			return next;
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	final AcquireRequest acquired(String owner) {
		return acquired(owner, this.target);
	}

	final AcquireRequest acquired(String owner, LockTarget target) {
		AcquireRequest request = request(owner, target);
		assertThat(join(this.store.acquire(request))).as("reply to %s", owner).isInstanceOf(AcquireReply.Granted.class);
		return request;
	}

	/**
	 * Acquire the lock with a lease so short that the store hardly waits for a reply.
	 */
	private void acquireBriefly(String owner, Duration timeToLive) {
		AcquireRequest request = request(owner, timeToLive);
		Awaitility.await()
			.pollDelay(Duration.ZERO)
			.ignoreExceptions()
			.until(() -> join(this.store.acquire(request)) instanceof AcquireReply.Granted);
	}

	/**
	 * Release a lock so that it is kept for a short time, and let that time pass.
	 */
	private void keptBriefly(AcquireRequest granted) {
		join(this.store.release(granted, Duration.ofMillis(200)));
		elapse(Duration.ofMillis(200));
	}

	final AcquireRequest queued(String owner) {
		return queued(waiting(owner));
	}

	/**
	 * Let a request wait, because a store may subscribe only when there is a waiter.
	 */
	final AcquireRequest queued(AcquireRequest request) {
		assumeQueue();
		this.queued.put(request.requestId(), request);
		Awaitility.await("told of hand-overs")
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(10))
			.atMost(Duration.ofSeconds(20))
			.until(() -> refused(request).notified());
		return request;
	}

	/**
	 * Repeat a request that was notified of its turn, because a store may also hand over
	 * in this way.
	 */
	private void askAgain(AcquireRequest request) {
		this.store.acquire(request).thenAccept((reply) -> {
			if (reply instanceof AcquireReply.Granted granted) {
				this.handOvers
					.add(new HandOver(request.requestId(), request.attempt().askedAt(), granted.fencingToken()));
			}
		});
	}

	final void assumeQueue() {
		assumeTrue(handsOver(), "has no queue: who waits asks again");
	}

	final AcquireRequest waiting(String owner) {
		return waiting(owner, this.target);
	}

	static AcquireRequest waiting(String owner, LockTarget target) {
		return new AcquireRequest(target, owner, id(), MINUTE, 1, CLAIM);
	}

	final AcquireReply.Held refused(AcquireRequest request) {
		AcquireReply reply = join(this.store.acquire(request));
		assertThat(reply).isInstanceOf(AcquireReply.Held.class);
		return (AcquireReply.Held) reply;
	}

	static LockState held(AcquireReply reply) {
		assertThat(reply).isInstanceOf(AcquireReply.Held.class);
		return ((AcquireReply.Held) reply).holder();
	}

	static long token(AcquireReply reply) {
		assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
		return ((AcquireReply.Granted) reply).fencingToken();
	}

	final long granted(String owner) {
		return token(acquire(owner));
	}

	final AcquireReply acquire(String owner) {
		return acquire(owner, this.target);
	}

	final AcquireReply acquire(String owner, LockTarget target) {
		return join(this.store.acquire(request(owner, target)));
	}

	final AcquireRequest request(String owner, Duration timeToLive) {
		return new AcquireRequest(this.target, owner, id(), timeToLive);
	}

	static AcquireRequest request(String owner, LockTarget target) {
		return new AcquireRequest(target, owner, id(), MINUTE);
	}

	static String id() {
		return UUID.randomUUID().toString();
	}

	final boolean renew(String owner, Duration timeToLive) {
		return join(StoreCalls.renew(this.store, this.target, owner, timeToLive));
	}

	/**
	 * Release the lock with another request of its owner.
	 */
	final boolean release(String owner) {
		return release(request(owner, MINUTE));
	}

	final boolean release(AcquireRequest granted) {
		return join(this.store.release(granted, Duration.ZERO));
	}

	final void withdraw(AcquireRequest request) {
		join(StoreCalls.withdraw(this.store, request));
	}

	final boolean forceRelease() {
		return join(StoreCalls.forceRelease(this.store, this.target));
	}

	final Optional<LockState> inspect() {
		return join(this.store.inspect(this.target));
	}

	final Duration freeIn() {
		return inspect().orElseThrow().freeIn();
	}

	static <T> T join(CompletionStage<T> reply) {
		return reply.toCompletableFuture().join();
	}

}
