package io.github.redislock.store;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests what every store promises to the engine about exclusive locks.
 */
public abstract class LockStoreContract extends StoreContract {

	@Override
	LockTarget target(String name) {
		return LockTarget.of(name);
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
		assertThat(renew("b", MINUTE)).isTrue();
		assertThat(release(b)).isTrue();
	}

	@Test
	void reopenedStoreReceivesHandOvers() {
		this.store.close();
		listen();
		AcquireRequest a = acquiredOnceConnected("a");
		AcquireRequest b = queued("b");

		release(a);

		assertHandedTo(b, handOver());
		assertThat(this.handOvers).isEmpty();
	}

	@Test
	void groupsContainEachRequestedLockOnce() {
		LockTarget both = LockTarget.allOf(this.target, this.other);

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
	void acquiringAndWithdrawingSeveralLocksKeepsTheOneHeldBefore() {
		long before = token(join(this.store.acquire(request("a", MINUTE.multipliedBy(10)))));
		AcquireRequest both = request("a", LockTarget.allOf(this.target, this.other));

		assertThat(token(join(this.store.acquire(both)))).isGreaterThan(before);

		assertThat(freeIn()).as("not shortened").isGreaterThan(MINUTE.multipliedBy(9));
		LockState state = inspect().orElseThrow();
		assertThat(state.lastFencingToken()).isEqualTo(state.fencingToken());
		withdraw(both);
		assertThat(join(this.store.acquire(both))).as("late").isInstanceOf(AcquireReply.Withdrawn.class);
		assertThat(inspect()).hasValueSatisfying((kept) -> assertThat(kept.owner()).isEqualTo("a"));
		assertThat(join(this.store.inspect(this.other))).isEmpty();
	}

	@Test
	void repeatedRequestsAndReleasesOfSeveralLocksSucceed() {
		AcquireRequest both = request("a", LockTarget.allOf(this.target, this.other));

		assertGrantedAgain(join(this.store.acquire(both)), join(this.store.acquire(both)));

		assertThat(release(both)).isTrue();
		assertThat(release(both)).isTrue();
		AcquireRequest again = request("b", both.target());
		assertThat(join(this.store.acquire(again))).isInstanceOf(AcquireReply.Granted.class);
		withdraw(again);
		acquired("c");
		acquired("c", this.other);
	}

	@Test
	void refusedRequestForSeveralLocksReleasesOnlyWhatItWasGranted() {
		LockTarget both = LockTarget.allOf(this.target, this.other);
		AcquireRequest partlyLost = request("a", both);
		assertThat(join(this.store.acquire(partlyLost))).isInstanceOf(AcquireReply.Granted.class);
		join(StoreCalls.forceRelease(this.store, this.other));
		acquired("b", this.other);

		assertThat(refused(partlyLost).holder().owner()).isEqualTo("b");

		assertThat(inspect()).isEmpty();
		acquired("c");
		assertThat(refused(request("c", both)).holder().owner()).isEqualTo("b");
		assertThat(inspect()).hasValueSatisfying((state) -> assertThat(state.owner()).isEqualTo("c"));
	}

	@Test
	void duplicateReleaseReturnsTheSameOutcome() {
		granted("a");

		assertThat(release("a")).isTrue();
		assertThat(release("a")).isTrue();
	}

	@Test
	void emptyRenewalReturnsNoReplies() {
		assertThat(this.store.renew(List.of())).isEmpty();
	}

	@Test
	void renewalWithoutALeaseOnlyChecksTheOwner() {
		join(this.store.acquire(endless("a")));
		acquired("a", this.other);

		List<CompletionStage<Boolean>> replies = this.store.renew(List.of(new RenewRequest(this.target, "a", null),
				new RenewRequest(this.target, "b", null), new RenewRequest(this.other, "a", null)));

		assertThat(replies.stream().map(StoreContract::join)).containsExactly(true, false, true);
		assertThat(inspect().orElseThrow().neverExpires()).isTrue();
		assertThat(join(this.store.inspect(this.other)))
			.hasValueSatisfying((state) -> assertThat(state.freeIn()).isLessThanOrEqualTo(MINUTE));
	}

	@Test
	void lockWithoutExpiryStaysUntilItIsReleased() {
		join(this.store.acquire(endless("a")));

		assertThat(inspect().orElseThrow().neverExpires()).isTrue();
		assertThat(held(acquire("b")).neverExpires()).isTrue();

		release("a");
		assertThat(inspect()).isEmpty();
	}

	@Test
	void resumingALockWithoutExpirySetsTheRequestedLease() {
		join(this.store.acquire(endless("a")));

		join(this.store.acquire(request("a", MINUTE)));

		assertThat(freeIn()).isLessThanOrEqualTo(MINUTE);
	}

	@Test
	void withdrawalIsForgottenWithItsLease() {
		AcquireRequest request = request("a", Duration.ofMillis(100));
		// A store waits for a reply no longer than the lease.
		Awaitility.await("withdrawn").ignoreExceptions().until(() -> {
			withdraw(request);
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
	void withdrawalIsRememberedForItsLeaseAmongManyOthers() {
		AcquireRequest request = request("a", MINUTE);
		withdraw(request);

		fillUp();

		assertThat(join(this.store.acquire(request))).isInstanceOf(AcquireReply.Withdrawn.class);
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
		release(request);
		AcquireRequest second = new AcquireRequest(this.target, "b", id(), MINUTE, many, null);

		long next = token(join(this.store.acquire(second)));
		forceRelease();

		assertThat(next).isGreaterThanOrEqualTo(first + many);
		assertThat(granted("c")).isGreaterThanOrEqualTo(next + many);
	}

	@Test
	void fencingTokensReservedByAHandOverAreNotReused() {
		int many = 100_000_000;
		AcquireRequest a = new AcquireRequest(this.target, "a", id(), MINUTE, many, null);
		long first = token(join(this.store.acquire(a)));
		AcquireRequest b = queued(new AcquireRequest(this.target, "b", id(), MINUTE, many, CLAIM));

		release(a);
		HandOver handOver = handOver();
		release(b);

		assertThat(handOver.fencingToken()).isGreaterThanOrEqualTo(first + many);
		assertThat(granted("c")).isGreaterThanOrEqualTo(handOver.fencingToken() + many);
	}

	@Test
	void yieldedLockGoesToTheNextWaiterAndThenReturns() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		AcquireRequest again = waiting("a again");

		YieldReply reply = join(this.store.yieldAndAcquire(a, again.sentAs(new AcquireRequest.Attempt(7))));

		assertThat(reply.released()).isTrue();
		assertThat(held(join(reply.next())).owner()).isEqualTo("b");
		assertThat(((AcquireReply.Held) join(reply.next())).queued()).isTrue();
		assertHandedTo(b, handOver());
		release(b);
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
		assertThat(token(join(reply.next()))).isGreaterThan(token);
		assertThat(inspect().orElseThrow().owner()).isEqualTo("a again");
		assertThat(freeIn()).isGreaterThan(Duration.ofSeconds(50));
	}

	@Test
	void duplicateYieldReturnsTheSameOutcome() {
		assumeQueue();
		AcquireRequest a = acquired("a");
		AcquireRequest again = waiting("a again");

		YieldReply first = join(this.store.yieldAndAcquire(a, again));

		YieldReply second = join(this.store.yieldAndAcquire(a, again));
		assertThat(second.released()).isEqualTo(first.released());
		assertThat(join(second.next())).isEqualTo(join(first.next()));
	}

	@Test
	void duplicateYieldHandsOverOnce() {
		AcquireRequest a = acquired("a");
		AcquireRequest b = queued("b");
		AcquireRequest again = waiting("a again");
		join(join(this.store.yieldAndAcquire(a, again)).next());

		YieldReply second = join(this.store.yieldAndAcquire(a, again));

		assertThat(second.released()).isTrue();
		assertThat(held(join(second.next())).owner()).isEqualTo("b");
		assertThat(held(join(second.next())).waiters()).isEqualTo(1);
		assertHandedTo(b, handOver());
		release(b);
		assertHandedTo(again, handOver());
	}

	@Test
	void yieldOfALostLockOnlyRequestsItAgain() {
		assumeQueue();
		AcquireRequest a = acquired("a");
		forceRelease();
		AcquireRequest b = acquired("b");
		AcquireRequest again = waiting("a again");

		YieldReply reply = join(this.store.yieldAndAcquire(a, again));

		assertThat(reply.released()).isFalse();
		assertThat(held(join(reply.next())).owner()).isEqualTo("b");
		assertThat(release(b)).isTrue();
		assertThat(inspect().orElseThrow().owner()).isEqualTo("a again");
	}

	@Test
	void yieldGrantsNothingToAWithdrawnRequest() {
		AcquireRequest a = acquired("a");
		AcquireRequest again = waiting("a again");
		withdraw(again);

		YieldReply reply = join(this.store.yieldAndAcquire(a, again));

		assertThat(reply.released()).isTrue();
		assertThat(join(reply.next())).isEqualTo(new AcquireReply.Withdrawn());
		assertThat(inspect()).isEmpty();
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

	private AcquireRequest endless(String owner) {
		return new AcquireRequest(this.target, owner, id(), null);
	}

}
