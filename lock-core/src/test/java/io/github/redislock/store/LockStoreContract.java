package io.github.redislock.store;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.RealTime;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests what every store promises to the engine.
 */
public abstract class LockStoreContract {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	/** Long enough for the slowest machine. */
	private static final Duration CLAIM = Duration.ofSeconds(20);

	private static final Duration SILENCE = Duration.ofMillis(3_100);

	private final LockTarget target = LockTarget.of("contract:" + UUID.randomUUID());

	private final BlockingQueue<HandOver> handOvers = new LinkedBlockingQueue<>();

	private LockStore store;

	protected abstract LockStore createStore();

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

	private void listen() {
		this.store.listen(new HandOverListener() {

			@Override
			public void handedOver(HandOver handOver) {
				LockStoreContract.this.handOvers.add(handOver);
			}

			@Override
			public void changed() {
				// A waiter would retry.
			}

		});
	}

	@AfterEach
	void closeStore() {
		this.store.close();
	}

	@Test
	void reopenedStoreGrantsRenewsAndReleasesALock() {
		long before = granted("a");
		release("a");

		this.store.close();
		listen();

		AcquireRequest b = acquiredOnceConnected("b");
		assertThat(inspect()).hasValueSatisfying((state) -> {
			assertThat(state.owner()).isEqualTo("b");
			assertThat(state.fencingToken()).isGreaterThan(before);
		});
		assertThat(join(StoreCalls.renew(this.store, this.target, "b", MINUTE))).isTrue();
		assertThat(join(this.store.release(b, Duration.ZERO))).isTrue();
	}

	@Test
	void reopenedStoreReceivesHandOvers() {
		this.store.close();
		listen();
		AcquireRequest a = acquiredOnceConnected("a");
		AcquireRequest b = queued("b");

		join(this.store.release(a, Duration.ZERO));

		assertHandedTo(b, handOver());
	}

	@Test
	void groupsContainEachRequestedLockOnce() {
		LockTarget other = LockTarget.of(this.target.name() + ":other");
		LockTarget both = LockTarget.allOf(this.target, other);

		assertThat(this.store.groups(this.target)).containsExactly(this.target);
		assertThat(this.store.groups(both).stream().flatMap((group) -> group.names().stream()))
			.containsExactlyInAnyOrderElementsOf(both.names());
	}

	@Test
	void statusOfAWorkingStoreIsASharedConstant() {
		for (boolean passing : List.of(false, true)) {
			assertThat(this.store.status(passing)).satisfiesAnyOf(
					(status) -> assertThat(status).isEqualTo(StoreStatus.NOTIFIED),
					(status) -> assertThat(status).isEqualTo(StoreStatus.SILENT));
		}
	}

	@Test
	void freeLockIsGranted() {
		assertThat(acquire("a")).isInstanceOf(AcquireReply.Granted.class);

		assertThat(inspect()).hasValueSatisfying((state) -> {
			assertThat(state.owner()).isEqualTo("a");
			assertThat(state.name()).isEqualTo(this.target.name());
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

		AcquireReply first = join(this.store.acquire(request));
		AcquireReply second = join(this.store.acquire(request));

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
	void acquiringAndWithdrawingSeveralLocksKeepsTheOneHeldBefore() {
		LockTarget other = LockTarget.of(this.target.name() + ":other");
		long before = token(join(this.store.acquire(request("a", MINUTE.multipliedBy(10)))));
		AcquireRequest both = new AcquireRequest(LockTarget.allOf(this.target, other), "a", id(), MINUTE);

		assertThat(token(join(this.store.acquire(both)))).isGreaterThan(before);

		assertThat(freeIn()).as("not shortened").isGreaterThan(MINUTE.multipliedBy(9));
		join(StoreCalls.withdraw(this.store, both));
		assertThat(inspect()).hasValueSatisfying((state) -> assertThat(state.owner()).isEqualTo("a"));
		assertThat(join(this.store.inspect(other))).isEmpty();
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
	void inspectReportsAGrantTime() {
		granted("a");

		assertThat(inspect().orElseThrow().since()).isNotNull();
	}

	@Test
	void releasedLockIsFree() {
		granted("a");

		assertThat(release("a")).isTrue();

		assertThat(inspect()).isEmpty();
		assertThat(acquire("b")).isInstanceOf(AcquireReply.Granted.class);
	}

	@Test
	void duplicateReleaseReturnsTheSameOutcome() {
		granted("a");

		assertThat(release("a")).isTrue();
		assertThat(release("a")).isTrue();
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
		granted("a");

		join(this.store.release(request("a", MINUTE), Duration.ofSeconds(30)));

		LockState holder = held(acquire("b"));
		assertThat(holder.owner()).isEqualTo("a");
		assertThat(holder.freeIn()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(30));
	}

	@Test
	void lockKeptAfterReleaseIsFreeAfterwards() {
		granted("a");

		join(this.store.release(request("a", MINUTE), Duration.ofMillis(200)));
		elapse(Duration.ofMillis(200));

		assertThat(acquire("b")).isInstanceOf(AcquireReply.Granted.class);
	}

	@Test
	void lockExpires() {
		acquireBriefly("a", Duration.ofMillis(200));

		elapse(Duration.ofMillis(200));

		assertThat(inspect()).isEmpty();
		assertThat(join(StoreCalls.renew(this.store, this.target, "a", MINUTE))).isFalse();
		assertThat(acquire("b")).isInstanceOf(AcquireReply.Granted.class);
	}

	@Test
	void renewalSetsALongerOrAShorterLease() {
		granted("a");

		assertThat(join(StoreCalls.renew(this.store, this.target, "a", MINUTE.multipliedBy(10)))).isTrue();
		assertThat(freeIn()).isGreaterThan(MINUTE.multipliedBy(9));

		assertThat(join(StoreCalls.renew(this.store, this.target, "a", Duration.ofSeconds(5)))).isTrue();
		assertThat(freeIn()).isLessThanOrEqualTo(Duration.ofSeconds(5));
	}

	@Test
	void renewalsSentTogetherGetTheirOwnReplies() {
		LockTarget free = LockTarget.of(this.target.name() + ":free");
		LockTarget mine = LockTarget.of(this.target.name() + ":mine");
		granted("a");
		join(this.store.acquire(new AcquireRequest(mine, "b", "request-of-b", MINUTE)));

		List<CompletionStage<Boolean>> replies = this.store
			.renew(List.of(new RenewRequest(this.target, "a", MINUTE.multipliedBy(10)),
					new RenewRequest(free, "a", MINUTE), new RenewRequest(mine, "a", MINUTE.multipliedBy(10)),
					new RenewRequest(mine, "b", Duration.ofSeconds(5))));

		assertThat(replies.stream().map(LockStoreContract::join)).containsExactly(true, false, false, true);
		assertThat(freeIn()).isGreaterThan(MINUTE.multipliedBy(9));
		assertThat(join(this.store.inspect(mine)))
			.hasValueSatisfying((state) -> assertThat(state.freeIn()).isLessThanOrEqualTo(Duration.ofSeconds(5)));
		assertThat(join(this.store.inspect(free))).isEmpty();
		join(StoreCalls.forceRelease(this.store, mine));
	}

	@Test
	void emptyRenewalReturnsNoReplies() {
		assertThat(this.store.renew(List.of())).isEmpty();
	}

	@Test
	void renewalByANonOwnerIsRefused() {
		granted("a");

		assertThat(join(StoreCalls.renew(this.store, this.target, "b", MINUTE.multipliedBy(10)))).isFalse();

		assertThat(freeIn()).isLessThanOrEqualTo(MINUTE);
	}

	@Test
	void renewalWithoutALeaseOnlyChecksTheOwner() {
		LockTarget ending = LockTarget.of(this.target.name() + ":ending");
		join(this.store.acquire(request("a", null)));
		join(this.store.acquire(new AcquireRequest(ending, "a", "request-of-a", MINUTE)));

		List<CompletionStage<Boolean>> replies = this.store.renew(List.of(new RenewRequest(this.target, "a", null),
				new RenewRequest(this.target, "b", null), new RenewRequest(ending, "a", null)));

		assertThat(replies.stream().map(LockStoreContract::join)).containsExactly(true, false, true);
		assertThat(inspect().orElseThrow().neverExpires()).isTrue();
		assertThat(join(this.store.inspect(ending)))
			.hasValueSatisfying((state) -> assertThat(state.freeIn()).isLessThanOrEqualTo(MINUTE));
		join(StoreCalls.forceRelease(this.store, ending));
	}

	@Test
	void lockWithoutExpiryStaysUntilItIsReleased() {
		join(this.store.acquire(request("a", null)));

		assertThat(inspect().orElseThrow().neverExpires()).isTrue();
		assertThat(held(acquire("b")).neverExpires()).isTrue();

		release("a");
		assertThat(inspect()).isEmpty();
	}

	@Test
	void resumingALockWithoutExpirySetsTheRequestedLease() {
		join(this.store.acquire(request("a", null)));

		join(this.store.acquire(request("a", MINUTE)));

		assertThat(freeIn()).isLessThanOrEqualTo(MINUTE);
	}

	@Test
	void withdrawalRevokesAGrant() {
		AcquireRequest request = request("a", MINUTE);
		join(this.store.acquire(request));

		join(StoreCalls.withdraw(this.store, request));

		assertThat(inspect()).isEmpty();
	}

	@Test
	void withdrawnRequestThatArrivesLateIsNotGranted() {
		AcquireRequest request = request("a", MINUTE);

		join(StoreCalls.withdraw(this.store, request));

		assertThat(join(this.store.acquire(request))).isInstanceOf(AcquireReply.Withdrawn.class);
		assertThat(inspect()).isEmpty();
	}

	@Test
	void withdrawalDoesNotAffectAnotherRequestOfTheSameOwner() {
		granted("job-17");
		AcquireRequest second = request("job-17", MINUTE);
		join(this.store.acquire(second));

		join(StoreCalls.withdraw(this.store, second));

		assertThat(inspect().orElseThrow().owner()).isEqualTo("job-17");
	}

	@Test
	void withdrawalCanKeepTheLockHeldForAWhile() {
		AcquireRequest request = request("a", MINUTE);
		join(this.store.acquire(request));

		join(this.store.withdraw(request, Duration.ofSeconds(20), false));

		assertThat(inspect().orElseThrow().freeIn()).isLessThanOrEqualTo(Duration.ofSeconds(20));
		assertThat(join(this.store.acquire(request))).as("late").isInstanceOf(AcquireReply.Withdrawn.class);
	}

	@Test
	void lockKeptByAWithdrawalIsFreeAfterwards() {
		AcquireRequest request = request("a", MINUTE);
		join(this.store.acquire(request));

		join(this.store.withdraw(request, Duration.ofMillis(200), false));
		elapse(Duration.ofMillis(200));

		assertThat(inspect()).isEmpty();
		assertThat(join(this.store.acquire(request))).as("late").isInstanceOf(AcquireReply.Withdrawn.class);
	}

	@Test
	void withdrawalDoesNotShortenTheLeaseOfAnotherOwner() {
		granted("b");

		join(this.store.withdraw(request("a", MINUTE), Duration.ofSeconds(1), false));

		assertThat(inspect().orElseThrow().freeIn()).isGreaterThan(Duration.ofSeconds(30));
	}

	@Test
	void withdrawalIsForgottenWithItsLease() {
		AcquireRequest request = request("a", Duration.ofMillis(100));
		// A store waits for a reply no longer than the lease.
		Awaitility.await("withdrawn").ignoreExceptions().until(() -> {
			join(StoreCalls.withdraw(this.store, request));
			return true;
		});

		elapse(Duration.ofMillis(100));

		// Requests are no longer repeated by then, so a grant shows that the withdrawal
		// is forgotten.
		fillUp();
		assertThat(Awaitility.await("replied")
			.ignoreExceptions()
			.until(() -> join(this.store.acquire(request)), Objects::nonNull)).isInstanceOf(AcquireReply.Granted.class);
	}

	@Test
	void forceReleaseFreesTheLockAndItsHoldersReleaseReportsLoss() {
		granted("a");

		assertThat(join(StoreCalls.forceRelease(this.store, this.target))).isTrue();

		assertThat(inspect()).isEmpty();
		assertThat(release("a")).isFalse();
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
	void inspectReportsTheTokensReservedForTheHolder() {
		AcquireRequest request = new AcquireRequest(this.target, "a", id(), MINUTE, 33, null);
		long first = token(join(this.store.acquire(request)));

		LockState state = inspect().orElseThrow();

		assertThat(state.fencingToken()).isEqualTo(first);
		assertThat(state.lastFencingToken()).isEqualTo(first + 32);
		release("a");
		assertThat(granted("b")).isGreaterThan(first + 32);
		assertThat(inspect().orElseThrow().lastFencingToken()).isEqualTo(inspect().orElseThrow().fencingToken());
	}

	@Test
	void forceReleaseOfAFreeLockFindsNoHolder() {
		assertThat(join(StoreCalls.forceRelease(this.store, this.target))).isFalse();
	}

	@Test
	void fencingTokenAfterForceReleaseIsGreater() {
		long first = granted("a");
		join(StoreCalls.forceRelease(this.store, this.target));

		assertThat(granted("b")).isGreaterThan(first);
	}

	@Test
	void locksWithDifferentNamesAreIndependent() {
		LockTarget other = LockTarget.of(this.target.name() + ":other");
		granted("a");

		AcquireReply reply = join(this.store.acquire(new AcquireRequest(other, "b", id(), MINUTE)));

		assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
		join(this.store.release(new AcquireRequest(other, "b", "any", MINUTE), Duration.ZERO));
		assertThat(inspect().orElseThrow().owner()).isEqualTo("a");
	}

	@Test
	void exactlyOneOfManyConcurrentCallersIsGranted() {
		Set<String> winners = ConcurrentHashMap.newKeySet();

		IntStream.range(0, 200).parallel().forEach((number) -> {
			if (acquire("owner-" + number) instanceof AcquireReply.Granted) {
				winners.add("owner-" + number);
			}
		});

		assertThat(winners).hasSize(1);
		assertThat(inspect().orElseThrow().owner()).isEqualTo(winners.iterator().next());
	}

	@Test
	void fencingTokensReservedForAHoldAreNotReused() {
		// More than microseconds pass until the next hold.
		int many = 100_000_000;
		AcquireRequest request = new AcquireRequest(this.target, "a", id(), MINUTE, many, null);
		long first = token(join(this.store.acquire(request)));
		join(this.store.release(request, Duration.ZERO));
		AcquireRequest second = new AcquireRequest(this.target, "b", id(), MINUTE, many, null);

		long next = token(join(this.store.acquire(second)));
		join(StoreCalls.forceRelease(this.store, this.target));

		assertThat(next).isGreaterThanOrEqualTo(first + many);
		assertThat(granted("c")).isGreaterThanOrEqualTo(next + many);
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
		join(this.store.acquire(b.sentAs(new AcquireRequest.Attempt(7))));

		assertThat(join(this.store.release(a, Duration.ZERO))).isTrue();
		HandOver first = handOver();
		assertThat(first.requestId()).isEqualTo(b.requestId());
		assertAskedAt(7, first);
		assertThat(first.fencingToken()).isGreaterThan(token);
		assertHandedTo(b, first);
		join(this.store.release(b, Duration.ZERO));
		HandOver second = handOver();
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		assertHandedTo(c, second);
		join(this.store.release(c, Duration.ZERO));
		assertHandedTo(d, handOver());
		join(this.store.release(d, Duration.ZERO));

		assertThat(inspect()).isEmpty();
		assertThat(this.handOvers).isEmpty();
	}

	/**
	 * Assert that a hand-over has the time of the last question, or none soon after the
	 * first one.
	 */
	private static void assertAskedAt(long time, HandOver handOver) {
		assertThat(Objects.requireNonNullElse(handOver.askedAt(), time)).isEqualTo(time);
	}

	@Test
	void timestampOfARequestIsReturnedUnchanged() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		join(this.store.acquire(b.sentAs(new AcquireRequest.Attempt(Long.MIN_VALUE))));

		join(this.store.release(a, Duration.ZERO));

		assertAskedAt(Long.MIN_VALUE, handOver());
	}

	@Test
	void handedOverLockLastsForTheClaimAndForTheWholeLeaseOnceClaimed() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		join(this.store.release(a, Duration.ZERO));
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
		AcquireRequest b = queued(waiting("b", Duration.ofMillis(200)));
		AcquireRequest c = queued("c");
		join(this.store.release(a, Duration.ZERO));
		assertThat(handOver().requestId()).isEqualTo(b.requestId());

		elapse(Duration.ofMillis(200));

		assertThat(join(this.store.acquire(c))).isInstanceOf(AcquireReply.Granted.class);
	}

	@Test
	void fencingTokensReservedByAHandOverAreNotReused() {
		int many = 100_000_000;
		AcquireRequest a = new AcquireRequest(this.target, "a", id(), MINUTE, many, null);
		long first = token(join(this.store.acquire(a)));
		AcquireRequest b = queued(new AcquireRequest(this.target, "b", id(), MINUTE, many, CLAIM));

		join(this.store.release(a, Duration.ZERO));
		HandOver handOver = handOver();
		join(this.store.release(b, Duration.ZERO));

		assertThat(handOver.fencingToken()).isGreaterThanOrEqualTo(first + many);
		assertThat(granted("c")).isGreaterThanOrEqualTo(handOver.fencingToken() + many);
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

		assertThat(join(this.store.release(a, Duration.ZERO))).isTrue();
		assertThat(join(this.store.release(a, Duration.ZERO))).isTrue();

		assertHandedTo(b, handOver());
		assertThat(release("a")).as("another request").isFalse();
	}

	@Test
	void callerThatDoesNotWaitDoesNotOvertakeAWaiter() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		join(this.store.release(a, Duration.ofMillis(100)));
		elapse(Duration.ofMillis(100));

		assertThat(held(acquire("c")).owner()).isEqualTo("b");

		assertHandedTo(b, handOver());
	}

	@Test
	void newWaiterDoesNotOvertakeAnEarlierOne() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		join(this.store.release(a, Duration.ofMillis(100)));
		elapse(Duration.ofMillis(100));
		AcquireRequest c = waiting("c");

		AcquireReply.Held refused = refused(c);

		assertThat(refused.holder().owner()).isEqualTo("b");
		assertThat(refused.holder().waiters()).isEqualTo(1);
		assertHandedTo(b, handOver());
		join(this.store.release(b, Duration.ZERO));
		assertHandedTo(c, handOver());
	}

	@Test
	void firstWaiterTakesAnExpiredLockForItsWholeLease() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		queued("c");
		join(this.store.release(a, Duration.ofMillis(100)));
		elapse(Duration.ofMillis(100));

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

		fallSilent(this.target, SILENCE);
		join(this.store.acquire(c));
		join(this.store.release(a, Duration.ZERO));

		assertHandedTo(c, handOver());
		assertThat(inspect().orElseThrow().waiters()).isZero();
	}

	@Test
	void releasedLockIsFreeIfItsOnlyWaiterIsSilent() {
		AcquireRequest a = acquired("a");
		queued("b");

		fallSilent(this.target, SILENCE);

		assertThat(join(this.store.release(a, Duration.ZERO))).isTrue();
		assertThat(inspect()).isEmpty();
		assertThat(this.handOvers).isEmpty();
	}

	@Test
	void withdrawnWaiterIsNotHandedTheLock() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		AcquireRequest c = queued("c");

		join(StoreCalls.withdraw(this.store, b));

		assertThat(inspect().orElseThrow().owner()).isEqualTo("a");
		assertThat(inspect().orElseThrow().waiters()).isEqualTo(1);
		assertThat(join(this.store.acquire(b))).as("late").isInstanceOf(AcquireReply.Withdrawn.class);
		join(this.store.release(a, Duration.ZERO));
		assertHandedTo(c, handOver());
	}

	@Test
	void requestThatStopsWaitingIsNotHandedTheLock() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		AcquireRequest c = queued("c");

		join(StoreCalls.leave(this.store, b));

		assertThat(inspect().orElseThrow().waiters()).isEqualTo(1);
		join(this.store.release(a, Duration.ZERO));
		assertHandedTo(c, handOver());
	}

	@Test
	void grantOfARequestThatStopsWaitingIsPassedOn() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		AcquireRequest c = queued("c");
		join(this.store.release(a, Duration.ZERO));
		assertHandedTo(b, handOver());

		join(StoreCalls.leave(this.store, b));

		assertHandedTo(c, handOver());
	}

	@Test
	void withdrawalOfARequestThatGotItsReplyCanKeepTheLockHeldForAWhile() {
		AcquireRequest a = acquired("a");

		join(this.store.withdraw(a, Duration.ofSeconds(20), true));

		assertThat(inspect().orElseThrow().freeIn()).isLessThanOrEqualTo(Duration.ofSeconds(20));
	}

	@Test
	void withdrawnGrantIsPassedOn() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		AcquireRequest c = queued("c");
		join(this.store.release(a, Duration.ZERO));
		assertHandedTo(b, handOver());

		join(StoreCalls.withdraw(this.store, b));

		assertHandedTo(c, handOver());
	}

	@Test
	void withdrawnGrantFreesALockWithoutWaiters() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		join(this.store.release(a, Duration.ZERO));

		join(StoreCalls.withdraw(this.store, b));

		assertThat(inspect()).isEmpty();
	}

	@Test
	void forceReleaseHandsTheLockOverAndItsHoldersReleaseReportsLoss() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");

		assertThat(join(StoreCalls.forceRelease(this.store, this.target))).isTrue();

		assertHandedTo(b, handOver());
		assertThat(join(this.store.release(a, Duration.ZERO))).isFalse();
		assertThat(join(StoreCalls.renew(this.store, this.target, "a", MINUTE))).isFalse();
	}

	@Test
	void yieldedLockGoesToTheNextWaiterAndThenReturns() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		AcquireRequest again = waiting("a again");

		YieldReply reply = join(this.store.yieldAndAcquire(a, again.sentAs(new AcquireRequest.Attempt(7))));

		assertThat(reply.released()).isTrue();
		assertThat(held(reply.next()).owner()).isEqualTo("b");
		assertThat(((AcquireReply.Held) reply.next()).queued()).isTrue();
		assertHandedTo(b, handOver());
		join(this.store.release(b, Duration.ZERO));
		HandOver back = handOver();
		assertAskedAt(7, back);
		assertHandedTo(again, back);
	}

	@Test
	void yieldedLockWithoutWaitersIsGrantedAgain() {
		AcquireRequest a = request("a", MINUTE);
		long token = token(join(this.store.acquire(a)));

		YieldReply reply = join(this.store.yieldAndAcquire(a, waiting("a again")));

		assertThat(reply.released()).isTrue();
		assertThat(token(reply.next())).isGreaterThan(token);
		assertThat(inspect().orElseThrow().owner()).isEqualTo("a again");
		assertThat(freeIn()).isGreaterThan(Duration.ofSeconds(50));
	}

	@Test
	void duplicateYieldReturnsTheSameOutcome() {
		assumeQueue();
		AcquireRequest a = acquired("a");
		AcquireRequest again = waiting("a again");

		YieldReply first = join(this.store.yieldAndAcquire(a, again));

		assertThat(join(this.store.yieldAndAcquire(a, again))).isEqualTo(first);
	}

	@Test
	void duplicateYieldHandsOverOnce() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		AcquireRequest again = waiting("a again");
		join(this.store.yieldAndAcquire(a, again));

		YieldReply second = join(this.store.yieldAndAcquire(a, again));

		assertThat(second.released()).isTrue();
		assertThat(held(second.next()).owner()).isEqualTo("b");
		assertThat(held(second.next()).waiters()).isEqualTo(1);
		assertHandedTo(b, handOver());
		join(this.store.release(b, Duration.ZERO));
		assertHandedTo(again, handOver());
	}

	@Test
	void yieldOfALostLockOnlyRequestsItAgain() {
		assumeQueue();
		AcquireRequest a = acquired("a");
		join(StoreCalls.forceRelease(this.store, this.target));
		AcquireRequest b = acquired("b");
		AcquireRequest again = waiting("a again");

		YieldReply reply = join(this.store.yieldAndAcquire(a, again));

		assertThat(reply.released()).isFalse();
		assertThat(held(reply.next()).owner()).isEqualTo("b");
		assertThat(join(this.store.release(b, Duration.ZERO))).isTrue();
		assertThat(inspect().orElseThrow().owner()).isEqualTo("a again");
	}

	@Test
	void yieldGrantsNothingToAWithdrawnRequest() {
		AcquireRequest a = acquired("a");
		AcquireRequest again = waiting("a again");
		join(StoreCalls.withdraw(this.store, again));

		YieldReply reply = join(this.store.yieldAndAcquire(a, again));

		assertThat(reply).isEqualTo(new YieldReply(true, new AcquireReply.Withdrawn()));
		assertThat(inspect()).isEmpty();
	}

	@Test
	void secondRequestOfTheNewHolderIsGrantedAndStopsWaiting() {
		AcquireRequest a = acquired("a");
		queued("job-17");
		AcquireRequest second = queued("job-17");
		join(this.store.release(a, Duration.ZERO));
		long token = handOver().fencingToken();

		assertThat(token(join(this.store.acquire(second)))).isEqualTo(token);

		assertThat(join(this.store.release(second, Duration.ZERO))).isTrue();
		assertThat(inspect()).isEmpty();
	}

	private void assertHandedTo(AcquireRequest expected, HandOver actual) {
		assertThat(actual.requestId()).isEqualTo(expected.requestId());
		LockState holder = inspect().orElseThrow();
		assertThat(holder.owner()).isEqualTo(expected.owner());
		assertThat(holder.fencingToken()).isEqualTo(actual.fencingToken());
	}

	private HandOver handOver() {
		try {
			HandOver next = this.handOvers.poll(10, TimeUnit.SECONDS);
			assertThat(next).as("hand-over").isNotNull();
			return next;
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	private AcquireRequest acquired(String owner) {
		AcquireRequest request = request(owner, MINUTE);
		assertThat(join(this.store.acquire(request))).isInstanceOf(AcquireReply.Granted.class);
		return request;
	}

	/**
	 * Acquire the lock over a connection that may not exist yet.
	 */
	private AcquireRequest acquiredOnceConnected(String owner) {
		AcquireRequest request = request(owner, MINUTE);
		assertThat(Awaitility.await("connected")
			.ignoreExceptions()
			.until(() -> join(this.store.acquire(request)), Objects::nonNull)).isInstanceOf(AcquireReply.Granted.class);
		return request;
	}

	private AcquireRequest queued(String owner) {
		return queued(waiting(owner));
	}

	/**
	 * Let a request wait, because a store may subscribe only when there is a waiter.
	 */
	private AcquireRequest queued(AcquireRequest request) {
		assumeQueue();
		Awaitility.await("told of hand-overs")
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(10))
			.atMost(Duration.ofSeconds(20))
			.until(() -> refused(request).notified());
		return request;
	}

	private void assumeQueue() {
		assumeTrue(handsOver(), "has no queue: who waits asks again");
	}

	private AcquireRequest waiting(String owner) {
		return waiting(owner, CLAIM);
	}

	private AcquireRequest waiting(String owner, Duration claim) {
		return new AcquireRequest(this.target, owner, id(), MINUTE, 1, claim);
	}

	private AcquireReply.Held refused(AcquireRequest request) {
		AcquireReply reply = join(this.store.acquire(request));
		assertThat(reply).isInstanceOf(AcquireReply.Held.class);
		return (AcquireReply.Held) reply;
	}

	private static long token(AcquireReply reply) {
		assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
		return ((AcquireReply.Granted) reply).fencingToken();
	}

	private static String id() {
		return UUID.randomUUID().toString();
	}

	/**
	 * Make the store clean up, if its size triggers that.
	 */
	private void fillUp() {
		// Not all requests get a reply within such a short lease.
		IntStream.range(0, 1_100)
			.mapToObj((number) -> StoreCalls.withdraw(this.store, request("filler", Duration.ofMillis(1))))
			.toList()
			.forEach((withdrawal) -> join(withdrawal.handle((done, failure) -> true)));
	}

	private long granted(String owner) {
		return token(acquire(owner));
	}

	private AcquireReply acquire(String owner) {
		return join(this.store.acquire(request(owner, MINUTE)));
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

	private LockState held(AcquireReply reply) {
		assertThat(reply).isInstanceOf(AcquireReply.Held.class);
		return ((AcquireReply.Held) reply).holder();
	}

	private AcquireRequest request(String owner, @Nullable Duration timeToLive) {
		return new AcquireRequest(this.target, owner, id(), timeToLive);
	}

	private boolean release(String owner) {
		return join(this.store.release(request(owner, MINUTE), Duration.ZERO));
	}

	private Optional<LockState> inspect() {
		return join(this.store.inspect(this.target));
	}

	private Duration freeIn() {
		return inspect().orElseThrow().freeIn();
	}

	private static <T> T join(CompletionStage<T> reply) {
		return reply.toCompletableFuture().join();
	}

}
