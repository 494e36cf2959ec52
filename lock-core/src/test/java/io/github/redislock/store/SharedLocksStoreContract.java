package io.github.redislock.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Tests what a store of shared locks promises to the engine: that a single permit is like
 * an exclusive lock, and how several holders share a lock.
 */
public abstract class SharedLocksStoreContract extends StoreContract {

	private static final Duration SHORT = Duration.ofMillis(500);

	/** Longer than any stall of a machine. */
	private static final Duration CLOSED = Duration.ofSeconds(20);

	private final LockTarget write = LockTarget.of(this.name);

	private final LockTarget read = LockTarget.of(this.name).forReading();

	@Override
	LockTarget target(String name) {
		return LockTarget.of(name).permits(1);
	}

	@Test
	void sharedLocksAreSupported() {
		for (LockTarget target : List.of(this.read, this.write, permit(1), permit(3))) {
			assertThatCode(() -> this.store.groups(target)).doesNotThrowAnyException();
		}
	}

	// readers

	@Test
	void writerIsRefusedWhileAReaderHoldsTheLock() {
		AcquireRequest a = acquired("a", this.read);
		AcquireRequest b = acquired("b", this.read);

		LockState holder = held(acquire("w", this.write));

		assertThat(holder.owner()).isIn("a", "b");
		assertThat(holder.holders()).isEqualTo(2);
		release(a);
		assertThat(held(acquire("w", this.write)).owner()).isEqualTo("b");
		release(b);
		acquired("w", this.write);
	}

	@Test
	void readersAreRefusedWhileAWriterHoldsTheLock() {
		AcquireRequest writer = acquired("w", this.write);

		LockState holder = held(acquire("a", this.read));

		assertThat(holder.owner()).isEqualTo("w");
		assertThat(holder.holders()).isEqualTo(1);
		assertThat(holder.freeIn()).isPositive().isLessThanOrEqualTo(MINUTE);
		held(acquire("p", permit(5)));
		release(writer);
		acquired("a", this.read);
	}

	@Test
	void fencingTokensGrowAcrossAllModes() {
		List<Long> tokens = new ArrayList<>();
		for (LockTarget target : List.of(this.write, this.read, permit(2), this.write, permit(1), this.read)) {
			AcquireRequest first = request("a", target);
			tokens.add(token(join(this.store.acquire(first))));
			if (target.maxHolders() > 1) {
				AcquireRequest second = request("b", target);
				tokens.add(token(join(this.store.acquire(second))));
				release(second);
			}
			release(first);
		}

		assertThat(tokens).hasSize(9).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void duplicateReleaseOfAPlaceReturnsTheSameOutcome() {
		AcquireRequest a = acquired("a", this.read);
		AcquireRequest b = acquired("b", this.read);

		assertThat(release(a)).isTrue();
		assertThat(release(a)).as("another reads").isTrue();
		assertThat(release(b)).isTrue();
		assertThat(release(b)).as("free").isTrue();
		assertThat(release(a)).as("free").isTrue();
		acquired("w", this.write);
		assertThat(release(b)).as("another writes").isTrue();

		assertHolders("w");
	}

	@Test
	void placesExpireIndependently() {
		AcquireRequest a = acquired("a", this.read);
		AcquireRequest b = acquired("b", this.read);

		runOut(a);

		assertHolders("b");
		assertThat(isOwner("a")).isFalse();
		assertThat(join(StoreCalls.renew(this.store, this.read, "a", MINUTE))).isFalse();
		assertThat(join(StoreCalls.renew(this.store, this.read, "b", MINUTE))).isTrue();
		runOut(b);
		assertThat(inspect()).isEmpty();
		acquired("w", this.write);
	}

	@Test
	void expiredPlaceIsTakenAgainWithANewToken() {
		AcquireRequest a = request("a", this.read);
		long first = token(join(this.store.acquire(a)));
		acquired("b", this.read);
		runOut(a);

		long second = token(acquire("a", this.read));

		assertThat(second).isGreaterThan(first);
		assertHolders("a", "b");
	}

	@Test
	void renewalOfOnePlaceDoesNotAffectTheOthers() {
		acquired("a", this.read);
		acquired("b", this.read);

		assertThat(join(StoreCalls.renew(this.store, this.read, "a", MINUTE.multipliedBy(10)))).isTrue();
		assertThat(join(StoreCalls.renew(this.store, this.read, "c", MINUTE))).isFalse();

		assertThat(inspect().orElseThrow().owner()).isEqualTo("a");
		assertThat(freeIn()).isGreaterThan(MINUTE.multipliedBy(9));
		assertThat(held(acquire("p", permit(1))).owner()).isEqualTo("b");
		assertThat(held(acquire("p", permit(1))).freeIn()).isLessThanOrEqualTo(MINUTE);
		assertThat(join(StoreCalls.renew(this.store, this.read, "a", Duration.ofSeconds(30)))).as("shorter").isTrue();
		assertThat(inspect().orElseThrow().owner()).isEqualTo("b");
	}

	@Test
	void renewalsOfPlacesSentTogetherGetTheirOwnReplies() {
		LockTarget other = LockTarget.of(this.name + ":other");
		acquired("a", this.read);
		acquired("b", this.read);
		acquired("c", other);

		List<CompletionStage<Boolean>> replies = this.store.renew(List.of(new RenewRequest(this.read, "a", MINUTE),
				new RenewRequest(this.read, "x", MINUTE), new RenewRequest(other, "c", MINUTE),
				new RenewRequest(this.read, "b", MINUTE.multipliedBy(10)), new RenewRequest(other, "a", MINUTE)));

		assertThat(replies.stream().map(StoreContract::join)).containsExactly(true, false, true, true, false);
		assertThat(freeIn()).isGreaterThan(MINUTE.multipliedBy(9));
	}

	@Test
	void renewalsAndOwnerChecksMayBeSentTogether() {
		LockTarget other = LockTarget.of(this.name + ":other");
		acquired("a", this.read);
		acquired("w", other);

		List<CompletionStage<Boolean>> replies = this.store
			.renew(List.of(new RenewRequest(this.read, "a", MINUTE.multipliedBy(10)),
					new RenewRequest(this.read, "a", null), new RenewRequest(other, "w", MINUTE),
					new RenewRequest(this.read, "b", null), new RenewRequest(other, "w", null)));

		assertThat(replies.stream().map(StoreContract::join)).containsExactly(true, true, true, false, true);
		assertThat(freeIn()).as("a question leaves the lease as it is").isGreaterThan(MINUTE.multipliedBy(9));
	}

	@Test
	void inspectReportsTheHolderWithTheLongestLease() {
		join(this.store.acquire(new AcquireRequest(this.read, "a", id(), MINUTE)));
		join(this.store.acquire(new AcquireRequest(this.read, "b", id(), MINUTE.multipliedBy(5))));
		join(this.store.acquire(new AcquireRequest(this.read, "c", id(), MINUTE.multipliedBy(3))));

		for (LockTarget target : List.of(this.write, this.read)) {
			assertThat(join(this.store.inspect(target))).hasValueSatisfying((state) -> {
				assertThat(state.owner()).isEqualTo("b");
				assertThat(state.freeIn()).isGreaterThan(MINUTE.multipliedBy(4));
				assertThat(state.holders()).isEqualTo(3);
				assertThat(state.held()).isTrue();
			});
		}
	}

	@Test
	void withdrawalRevokesOnlyOnePlace() {
		AcquireRequest a = acquired("a", this.read);
		acquired("b", this.read);

		withdraw(a);

		assertHolders("b");
		assertThat(join(this.store.acquire(a))).as("late").isInstanceOf(AcquireReply.Withdrawn.class);
		assertHolders("b");
	}

	@Test
	void forceReleaseTakesTheLockFromAllSharers() {
		for (LockTarget target : List.of(this.write, this.read)) {
			AcquireRequest a = acquired("a", this.read);
			AcquireRequest b = acquired("b", permit(3));

			assertThat(join(StoreCalls.forceRelease(this.store, target))).isTrue();

			assertThat(inspect()).isEmpty();
			assertThat(join(StoreCalls.renew(this.store, this.read, "a", MINUTE))).isFalse();
			assertThat(isOwner("b")).isFalse();
			assertThat(release(a)).isFalse();
			assertThat(release(b)).isFalse();
			assertThat(join(StoreCalls.forceRelease(this.store, target))).isFalse();
		}
	}

	@Test
	void forceReleaseOfSharersSparesALaterWriter() {
		AcquireRequest a = acquired("a", this.read);
		AcquireRequest b = acquired("b", this.read);
		LockState seen = inspect().orElseThrow();
		release(a);
		release(b);
		acquired("w", this.write);

		assertThat(join(this.store.forceRelease(this.read, seen))).isFalse();

		assertHolders("w");
	}

	@Test
	void forceReleaseOfALoneHolderIsRefusedOnceAnotherJoined() {
		AcquireRequest a = acquired("a", this.read);
		LockState seen = inspect().orElseThrow();
		acquired("b", this.read);

		assertThat(join(this.store.forceRelease(this.write, seen))).isFalse();
		assertHolders("a", "b");

		LockState both = inspect().orElseThrow();
		AcquireRequest other = acquired("c", this.read);
		assertThat(join(this.store.forceRelease(this.write, both))).isTrue();
		assertThat(inspect()).isEmpty();
		assertThat(release(a)).isFalse();
		assertThat(release(other)).isFalse();
	}

	@Test
	void forceReleaseHandsTheLockOver() {
		AcquireRequest a = acquired("a", this.read);
		acquired("b", this.read);
		AcquireRequest writer = queued("w", this.write);

		assertThat(join(StoreCalls.forceRelease(this.store, this.read))).isTrue();

		assertHandedTo(writer);
		assertHolders("w");
		assertThat(release(a)).isFalse();
		assertHolders("w");
	}

	@Test
	void releaseCanKeepAPlaceHeldForAWhile() {
		AcquireRequest a = acquired("a", permit(2));
		AcquireRequest b = acquired("b", permit(2));

		assertThat(join(this.store.release(a, CLOSED))).isTrue();
		assertThat(held(acquire("c", permit(2))).freeIn()).isLessThanOrEqualTo(CLOSED);
		assertThat(inspect().orElseThrow().holders()).isEqualTo(2);
		release(b);

		acquired("c", permit(2));
		assertThat(acquire("d", permit(2))).isInstanceOf(AcquireReply.Held.class);
	}

	// permits

	@Test
	void lockHasAsManyHoldersAsPermits() {
		AcquireRequest a = acquired("a", permit(3));
		acquired("b", permit(3));
		acquired("c", permit(3));

		LockState holder = held(acquire("d", permit(3)));
		assertThat(holder.owner()).isIn("a", "b", "c");
		assertThat(holder.holders()).isEqualTo(3);
		held(acquire("w", this.write));

		release(a);
		acquired("d", permit(3));
		assertHolders("b", "c", "d");
	}

	@Test
	void manyConcurrentRequestsGetAsManyGrantsAsPermits() {
		long granted = IntStream.range(0, 100)
			.parallel()
			.filter((number) -> acquire("owner-" + number, permit(7)) instanceof AcquireReply.Granted)
			.count();

		assertThat(granted).isEqualTo(7);
		assertThat(inspect().orElseThrow().holders()).isEqualTo(7);
	}

	@Test
	void permitHolderIsGrantedItsPermitAgainEvenIfAllAreTaken() {
		AcquireRequest a = request("a", permit(2));
		long token = token(join(this.store.acquire(a)));
		acquired("b", permit(2));

		assertThat(token(join(this.store.acquire(a)))).isEqualTo(token);

		assertHolders("a", "b");
	}

	@Test
	void readersAndPermitsCountTogether() {
		acquired("a", this.read);
		acquired("b", permit(2));

		held(acquire("c", permit(2)));

		acquired("c", permit(3));
		acquired("d", this.read);
		assertThat(inspect().orElseThrow().holders()).isEqualTo(4);
	}

	@Test
	void fewerPermitsTakeEffectWithTheNextRequest() {
		AcquireRequest a = acquired("a", permit(3));
		AcquireRequest b = acquired("b", permit(3));
		AcquireRequest c = acquired("c", permit(3));

		release(a);
		held(acquire("d", permit(1)));
		release(b);
		held(acquire("d", permit(1)));
		release(c);

		acquired("d", permit(1));
	}

	@Test
	void waiterWithFewerPermitsIsAdmittedOnceEnoughHoldersHaveLeft() {
		AcquireRequest a = acquired("a", permit(3));
		AcquireRequest b = acquired("b", permit(3));
		AcquireRequest c = acquired("c", permit(3));
		AcquireRequest d = queued("d", permit(1));

		release(a);
		release(b);
		assertNobodyIsHandedIt();
		release(c);

		assertHandedTo(d);
		assertHolders("d");
	}

	@Test
	void waiterWithMorePermitsIsAdmittedOnceTheWaiterAheadWithdraws() {
		acquired("a", permit(3));
		acquired("b", permit(3));
		AcquireRequest one = queued("c", permit(2));
		AcquireRequest other = queued("d", permit(4));
		assertNobodyIsHandedIt();

		withdraw(one);

		assertHandedTo(other);
		assertHolders("a", "b", "d");
	}

	@Test
	void refusedSharerLearnsWhenTheFirstPlaceBecomesFree() {
		join(this.store.acquire(new AcquireRequest(permit(3), "a", id(), MINUTE.multipliedBy(5))));
		join(this.store.acquire(new AcquireRequest(permit(3), "b", id(), MINUTE)));
		join(this.store.acquire(new AcquireRequest(permit(3), "c", id(), MINUTE.multipliedBy(3))));

		assertThat(held(acquire("d", permit(3))).freeIn()).isPositive().isLessThanOrEqualTo(MINUTE);
		assertThat(held(join(this.store.acquire(waiting("d", permit(3))))).freeIn()).isPositive()
			.isLessThanOrEqualTo(MINUTE);
	}

	@Test
	void refusedWriterLearnsWhenAllPlacesBecomeFree() {
		join(this.store.acquire(new AcquireRequest(this.read, "a", id(), MINUTE.multipliedBy(5))));
		join(this.store.acquire(new AcquireRequest(this.read, "b", id(), MINUTE)));

		assertThat(held(acquire("w", this.write)).freeIn()).isBetween(MINUTE.multipliedBy(4), MINUTE.multipliedBy(5));
	}

	// queue

	@Test
	void writerIsNotOvertakenByReaders() {
		AcquireRequest a = acquired("a", this.read);
		AcquireRequest writer = queued("w", this.write);

		held(acquire("b", this.read));
		AcquireRequest c = queued("c", this.read);
		AcquireRequest d = queued("d", permit(10));
		assertNobodyIsHandedIt();
		release(a);

		assertHandedTo(writer);
		release(writer);
		assertHandedTo(c, d);
	}

	@Test
	void readerIsGrantedItsPlaceAgainWhileAWriterWaits() {
		AcquireRequest a = request("a", this.read);
		long token = token(join(this.store.acquire(a)));
		queued("w", this.write);

		assertThat(token(join(this.store.acquire(a)))).isEqualTo(token);

		assertThat(join(StoreCalls.renew(this.store, this.read, "a", MINUTE))).isTrue();
	}

	@Test
	void permitWaitersAreAdmittedWhilePermitsAreFree() {
		AcquireRequest writer = acquired("w", this.write);
		AcquireRequest a = queued("a", permit(2));
		AcquireRequest b = queued("b", permit(2));
		AcquireRequest c = queued("c", permit(2));
		AcquireRequest d = queued("d", permit(2));

		release(writer);
		assertHandedTo(a, b);
		release(b);
		assertHandedTo(c);
		release(a);
		assertHandedTo(d);

		assertHolders("c", "d");
	}

	@Test
	void permitWaiterIsNotOvertakenByReaders() {
		AcquireRequest a = acquired("a", permit(1));
		AcquireRequest b = queued("b", permit(1));

		held(acquire("c", this.read));
		AcquireRequest d = queued("d", this.read);
		assertNobodyIsHandedIt();
		release(a);

		assertHandedTo(b, d);
		assertHolders("b", "d");
	}

	@Test
	void readersWritersAndPermitsWaitInOneQueue() {
		AcquireRequest first = acquired("0", this.write);
		AcquireRequest one = queued("1", permit(2));
		AcquireRequest two = queued("2", this.read);
		AcquireRequest three = queued("3", permit(2));
		AcquireRequest four = queued("4", this.write);
		AcquireRequest five = queued("5", this.write);
		AcquireRequest six = queued("6", this.read);

		release(first);
		assertHandedTo(one, two);
		release(one);
		assertHandedTo(three);
		release(three);
		assertNobodyIsHandedIt();
		release(two);
		assertHandedTo(four);
		release(four);
		assertHandedTo(five);
		release(five);
		assertHandedTo(six);

		assertHolders("6");
		assertThat(inspect().orElseThrow().waiters()).isZero();
	}

	@Test
	void withdrawalOfAWaitingWriterAdmitsTheWaitersBehindIt() {
		AcquireRequest a = acquired("a", this.read);
		AcquireRequest writer = queued("w", this.write);
		AcquireRequest b = queued("b", this.read);
		AcquireRequest c = queued("c", permit(3));
		AcquireRequest d = queued("d", permit(3));

		withdraw(writer);

		assertHandedTo(b, c);
		assertHolders("a", "b", "c");
		assertThat(join(this.store.acquire(writer))).as("late").isInstanceOf(AcquireReply.Withdrawn.class);
		assertThat(inspect().orElseThrow().waiters()).isEqualTo(1);
		release(a);
		assertHandedTo(d);
	}

	@Test
	void withdrawnGrantOfAWriterIsPassedOnToAllReaders() {
		AcquireRequest a = acquired("a", this.read);
		AcquireRequest writer = queued("w", this.write);
		AcquireRequest b = queued("b", this.read);
		AcquireRequest c = queued("c", this.read);
		release(a);
		assertHandedTo(writer);

		withdraw(writer);

		assertHandedTo(b, c);
		assertHolders("b", "c");
	}

	@Test
	void silentWriterIsPassedOver() {
		acquired("a", this.read);
		queued("w", this.write);
		AcquireRequest b = queued("b", this.read);

		fallSilent(this.write, SILENCE);

		assertThat(join(this.store.acquire(b))).isInstanceOf(AcquireReply.Granted.class);
		acquired("c", this.read);
		assertHolders("a", "b", "c");
		assertThat(inspect().orElseThrow().waiters()).isZero();
	}

	@Test
	void writerIsGrantedTheLockWhenTheLastPlaceExpired() {
		AcquireRequest a = acquired("a", this.read);
		AcquireRequest b = acquired("b", this.read);
		AcquireRequest writer = queued("w", this.write);

		release(a);
		runOut(b);

		assertThat(join(this.store.acquire(writer))).isInstanceOf(AcquireReply.Granted.class);
		assertHolders("w");
		assertThat(freeIn()).isGreaterThan(CLAIM);
	}

	@Test
	void firstReaderToRequestAnExpiredLockAdmitsTheOthers() {
		AcquireRequest writer = acquired("w", this.write);
		AcquireRequest a = queued("a", this.read);
		AcquireRequest b = queued("b", this.read);
		AcquireRequest second = queued("v", this.write);
		runOut(writer);

		assertThat(join(this.store.acquire(a))).isInstanceOf(AcquireReply.Granted.class);

		assertHandedTo(b);
		assertHolders("a", "b");
		assertThat(held(join(this.store.acquire(second))).holders()).isEqualTo(2);
	}

	@Test
	void secondReaderInTheQueueEntersAnExpiredLockAfterTheFirst() {
		AcquireRequest writer = acquired("w", this.write);
		AcquireRequest a = queued("a", this.read);
		AcquireRequest b = queued("b", this.read);
		runOut(writer);

		AcquireReply reply = join(this.store.acquire(b));

		assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
		HandOver handOver = handOver();
		assertThat(handOver.requestId()).isEqualTo(a.requestId());
		assertThat(token(reply)).isGreaterThan(handOver.fencingToken());
		assertHolders("a", "b");
	}

	@Test
	void callerThatDoesNotWaitDoesNotOvertakeAWaitingSharer() {
		AcquireRequest writer = acquired("w", this.write);
		AcquireRequest a = queued("a", this.read);
		runOut(writer);

		assertThat(held(acquire("v", this.write)).owner()).isEqualTo("a");

		assertThat(join(this.store.acquire(a))).as("who waits asks when the lease is over")
			.isInstanceOf(AcquireReply.Granted.class);
		assertHolders("a");
	}

	@Test
	void duplicateReleaseByAWriterDoesNotAffectTheNextReaders() {
		AcquireRequest writer = acquired("w", this.write);
		AcquireRequest a = queued("a", this.read);
		AcquireRequest b = queued("b", this.read);

		assertThat(release(writer)).isTrue();
		assertThat(release(writer)).isTrue();

		assertHandedTo(a, b);
		assertHolders("a", "b");
	}

	@Test
	void lockYieldedByAWriterGoesToTheReadersAndThenReturns() {
		AcquireRequest writer = acquired("w", this.write);
		AcquireRequest a = queued("a", this.read);
		AcquireRequest b = queued("b", this.read);
		AcquireRequest again = waiting("w again", this.write);

		YieldReply reply = join(this.store.yieldAndAcquire(writer, again));

		assertThat(reply.released()).isTrue();
		assertThat(held(join(reply.next())).owner()).isIn("a", "b");
		assertHandedTo(a, b);
		assertThat(join(this.store.yieldAndAcquire(writer, again)).released()).as("sent twice").isTrue();
		release(a);
		assertNobodyIsHandedIt();
		release(b);
		assertHandedTo(again);
		assertHolders("w again");
	}

	private void assertHolders(String... owners) {
		assertThat(inspect()).hasValueSatisfying((state) -> {
			assertThat(state.holders()).as("number of holders").isEqualTo(owners.length);
			assertThat(state.owner()).isIn((Object[]) owners);
		});
		for (String owner : owners) {
			assertThat(join(StoreCalls.isOwner(this.store, this.read, owner))).as(owner).isTrue();
		}
	}

	/**
	 * Assert that the lock was handed over to these requests, one after the other and to
	 * no others, and that they hold it.
	 */
	private void assertHandedTo(AcquireRequest... expected) {
		List<HandOver> told = Stream.of(expected)
			.map((request) -> handOver())
			.sorted(Comparator.comparingLong(HandOver::fencingToken))
			.toList();
		assertThat(told.stream().map(HandOver::requestId)).as("handed over to")
			.containsExactlyElementsOf(Stream.of(expected).map(AcquireRequest::requestId).toList());
		assertThat(told.stream().map(HandOver::fencingToken)).doesNotHaveDuplicates();
		assertThat(expected)
			.allSatisfy((request) -> assertThat(join(StoreCalls.isOwner(this.store, request.target(), request.owner())))
				.isTrue());
		assertNobodyIsHandedIt();
	}

	/**
	 * Assert that nothing else is announced. Announcements arrive in order, so when this
	 * one arrives, all earlier ones have arrived.
	 */
	private void assertNobodyIsHandedIt() {
		LockTarget probe = LockTarget.of(this.name + ":probe");
		AcquireRequest holder = acquired("probe holder", probe);
		AcquireRequest waiter = queued("probe waiter", probe);
		release(holder);
		assertThat(handOver().requestId()).as("nobody but the probe").isEqualTo(waiter.requestId());
		release(waiter);
	}

	private LockTarget permit(int permits) {
		return LockTarget.of(this.name).permits(permits);
	}

	private AcquireRequest queued(String owner, LockTarget target) {
		return queued(waiting(owner, target));
	}

	/**
	 * End the lease of one holder by a renewal so short that the store hardly waits for a
	 * reply.
	 */
	private void runOut(AcquireRequest granted) {
		assertThat(join(StoreCalls.isOwner(this.store, granted.target(), granted.owner()))).isTrue();
		Awaitility.await()
			.pollDelay(Duration.ZERO)
			.ignoreExceptions()
			.until(() -> join(StoreCalls.renew(this.store, granted.target(), granted.owner(), SHORT)) != null);
		elapse(SHORT);
	}

	private boolean isOwner(String owner) {
		return join(StoreCalls.isOwner(this.store, this.read, owner));
	}

}
