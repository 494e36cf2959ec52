package io.github.redislock;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import io.github.redislock.LockStore.AcquireAnswer;
import io.github.redislock.LockStore.AcquireRequest;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What every store promises to the engine.
 */
public abstract class LockStoreContract {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final LockTarget target = LockTarget.of("contract:" + UUID.randomUUID());

	private LockStore store;

	protected abstract LockStore createStore();

	/**
	 * Let time pass for the store.
	 */
	protected abstract void elapse(Duration duration);

	@BeforeEach
	protected void openStore() {
		this.store = createStore();
	}

	@AfterEach
	void closeStore() {
		this.store.close();
	}

	@Test
	void freeLockIsGranted() {
		assertThat(acquire("a")).isInstanceOf(AcquireAnswer.Granted.class);

		assertThat(inspect()).hasValueSatisfying((state) -> {
			assertThat(state.owner()).isEqualTo("a");
			assertThat(state.name()).isEqualTo(this.target.name());
			assertThat(state.remaining()).isBetween(MINUTE.minusSeconds(5), MINUTE);
		});
	}

	@Test
	void heldLockIsRefusedAndTheAnswerTellsTheHolder() {
		long token = granted("a");

		LockState holder = held(acquire("b"));

		assertThat(holder.owner()).isEqualTo("a");
		assertThat(holder.fencingToken()).isEqualTo(token);
		assertThat(holder.remaining()).isPositive().isLessThanOrEqualTo(MINUTE);
	}

	@Test
	void sameRequestAskedTwiceIsAnsweredTwiceTheSame() {
		AcquireRequest request = request("a", MINUTE);

		AcquireAnswer first = join(this.store.acquire(request));
		AcquireAnswer second = join(this.store.acquire(request));

		assertThat(second).isEqualTo(first).isInstanceOf(AcquireAnswer.Granted.class);
	}

	@Test
	void askingAgainStartsTheLeaseAnewButNeverShortensIt() {
		join(this.store.acquire(request("a", Duration.ofSeconds(10))));

		join(this.store.acquire(request("a", MINUTE)));
		assertThat(remaining()).isGreaterThan(Duration.ofSeconds(50));

		join(this.store.acquire(request("a", Duration.ofSeconds(10))));
		assertThat(remaining()).isGreaterThan(Duration.ofSeconds(50));
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
	void fencingTokenTellsWhenTheLockWasGranted() {
		granted("a");

		assertThat(inspect().orElseThrow().since()).isNotNull();
	}

	@Test
	void releasedLockIsFree() {
		granted("a");

		assertThat(release("a")).isTrue();

		assertThat(inspect()).isEmpty();
		assertThat(acquire("b")).isInstanceOf(AcquireAnswer.Granted.class);
	}

	@Test
	void releaseSentTwiceIsAnsweredTwiceTheSame() {
		granted("a");

		assertThat(release("a")).isTrue();
		assertThat(release("a")).isTrue();
	}

	@Test
	void releaseLeavesTheLockOfAnotherAlone() {
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
	void releaseCanKeepTheLockClosedForAWhile() {
		granted("a");

		join(this.store.release(request("a", MINUTE), Duration.ofSeconds(30)));

		LockState holder = held(acquire("b"));
		assertThat(holder.owner()).isEqualTo("a");
		assertThat(holder.remaining()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(30));
	}

	@Test
	void lockThatWasKeptClosedForAWhileIsFreeAfterIt() {
		granted("a");

		join(this.store.release(request("a", MINUTE), Duration.ofMillis(200)));
		elapse(Duration.ofMillis(200));

		assertThat(acquire("b")).isInstanceOf(AcquireAnswer.Granted.class);
	}

	@Test
	void lockRunsOut() {
		acquireBriefly("a", Duration.ofMillis(200));

		elapse(Duration.ofMillis(200));

		assertThat(inspect()).isEmpty();
		assertThat(join(this.store.renew(this.target, "a", MINUTE))).isFalse();
		assertThat(acquire("b")).isInstanceOf(AcquireAnswer.Granted.class);
	}

	@Test
	void renewalSetsALongerOrAShorterLease() {
		granted("a");

		assertThat(join(this.store.renew(this.target, "a", MINUTE.multipliedBy(10)))).isTrue();
		assertThat(remaining()).isGreaterThan(MINUTE.multipliedBy(9));

		assertThat(join(this.store.renew(this.target, "a", Duration.ofSeconds(5)))).isTrue();
		assertThat(remaining()).isLessThanOrEqualTo(Duration.ofSeconds(5));
	}

	@Test
	void renewalOfALockOfAnotherIsRefused() {
		granted("a");

		assertThat(join(this.store.renew(this.target, "b", MINUTE.multipliedBy(10)))).isFalse();

		assertThat(remaining()).isLessThanOrEqualTo(MINUTE);
	}

	@Test
	void lockWithoutExpiryStaysUntilItIsReleased() {
		join(this.store.acquire(request("a", null)));

		assertThat(inspect().orElseThrow().remaining()).isNull();
		assertThat(held(acquire("b")).remaining()).isNull();

		release("a");
		assertThat(inspect()).isEmpty();
	}

	@Test
	void resumingALockWithoutExpiryGivesItTheLeaseAsked() {
		join(this.store.acquire(request("a", null)));

		join(this.store.acquire(request("a", MINUTE)));

		assertThat(remaining()).isLessThanOrEqualTo(MINUTE);
	}

	@Test
	void withdrawalTakesBackAGrant() {
		AcquireRequest request = request("a", MINUTE);
		join(this.store.acquire(request));

		join(this.store.withdraw(request));

		assertThat(inspect()).isEmpty();
	}

	@Test
	void withdrawnRequestThatArrivesLateGetsNothing() {
		AcquireRequest request = request("a", MINUTE);

		join(this.store.withdraw(request));

		assertThat(join(this.store.acquire(request))).isInstanceOf(AcquireAnswer.Withdrawn.class);
		assertThat(inspect()).isEmpty();
	}

	@Test
	void withdrawalLeavesTheHoldOfAnotherRequestWithTheSameOwnerAlone() {
		granted("job-17");
		AcquireRequest second = request("job-17", MINUTE);
		join(this.store.acquire(second));

		join(this.store.withdraw(second));

		assertThat(inspect().orElseThrow().owner()).isEqualTo("job-17");
	}

	@Test
	void withdrawalIsForgottenWithItsLease() {
		AcquireRequest request = request("a", Duration.ofMillis(100));
		join(this.store.withdraw(request));

		elapse(Duration.ofMillis(100));

		// Nobody asks again by then; that it would be granted shows that nothing lives
		// on.
		fillUp();
		assertThat(join(this.store.acquire(request))).isInstanceOf(AcquireAnswer.Granted.class);
	}

	@Test
	void forceReleaseFreesTheLockAndItsHolderIsTold() {
		granted("a");

		assertThat(join(this.store.forceRelease(this.target))).isTrue();

		assertThat(inspect()).isEmpty();
		assertThat(release("a")).isFalse();
	}

	@Test
	void forceReleaseOfAFreeLockFindsNoHolder() {
		assertThat(join(this.store.forceRelease(this.target))).isFalse();
	}

	@Test
	void fencingTokenAfterForceReleaseIsGreater() {
		long first = granted("a");
		join(this.store.forceRelease(this.target));

		assertThat(granted("b")).isGreaterThan(first);
	}

	@Test
	void locksOfDifferentNamesDoNotTouchEachOther() {
		LockTarget other = LockTarget.of(this.target.name() + ":other");
		granted("a");

		AcquireAnswer answer = join(
				this.store.acquire(new AcquireRequest(other, "b", UUID.randomUUID().toString(), MINUTE)));

		assertThat(answer).isInstanceOf(AcquireAnswer.Granted.class);
		join(this.store.release(new AcquireRequest(other, "b", "any", MINUTE), Duration.ZERO));
		assertThat(inspect().orElseThrow().owner()).isEqualTo("a");
	}

	@Test
	void ofManyAskersExactlyOneIsGranted() {
		Set<String> winners = ConcurrentHashMap.newKeySet();

		IntStream.range(0, 200).parallel().forEach((number) -> {
			if (acquire("owner-" + number) instanceof AcquireAnswer.Granted) {
				winners.add("owner-" + number);
			}
		});

		assertThat(winners).hasSize(1);
		assertThat(inspect().orElseThrow().owner()).isEqualTo(winners.iterator().next());
	}

	/**
	 * Make the store tidy up, if it does so by its size.
	 */
	private void fillUp() {
		IntStream.range(0, 1_100)
			.mapToObj((number) -> this.store.withdraw(request("filler", Duration.ofMillis(1))).toCompletableFuture())
			.toList()
			.forEach(LockStoreContract::join);
	}

	private long granted(String owner) {
		AcquireAnswer answer = acquire(owner);
		assertThat(answer).isInstanceOf(AcquireAnswer.Granted.class);
		return ((AcquireAnswer.Granted) answer).fencingToken();
	}

	private AcquireAnswer acquire(String owner) {
		return join(this.store.acquire(request(owner, MINUTE)));
	}

	/**
	 * Acquire the lock for a time so short that the store hardly waits for an answer.
	 */
	private void acquireBriefly(String owner, Duration timeToLive) {
		AcquireRequest request = request(owner, timeToLive);
		Awaitility.await()
			.pollDelay(Duration.ZERO)
			.ignoreExceptions()
			.until(() -> join(this.store.acquire(request)) instanceof AcquireAnswer.Granted);
	}

	private LockState held(AcquireAnswer answer) {
		assertThat(answer).isInstanceOf(AcquireAnswer.Held.class);
		return ((AcquireAnswer.Held) answer).holder();
	}

	private AcquireRequest request(String owner, @Nullable Duration timeToLive) {
		return new AcquireRequest(this.target, owner, UUID.randomUUID().toString(), timeToLive);
	}

	private boolean release(String owner) {
		return join(this.store.release(request(owner, MINUTE), Duration.ZERO));
	}

	private Optional<LockState> inspect() {
		return join(this.store.inspect(this.target));
	}

	private @Nullable Duration remaining() {
		return inspect().orElseThrow().remaining();
	}

	private static <T> T join(CompletionStage<T> answer) {
		return answer.toCompletableFuture().join();
	}

}
