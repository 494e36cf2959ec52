package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.CountingStore;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.StoreStatus;
import io.github.redislock.testing.FencingTokens;
import io.github.redislock.testing.FiveMasters;
import io.github.redislock.testing.NeedsRedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * A majority of five servers decides, and grants of a minority have no effect.
 */
@NeedsRedisServer
@Tag("promise-3")
@Tag("promise-quorum")
class QuorumVoteTests {

	private final FiveMasters masters = FiveMasters.shared();

	private final LockTarget target = LockTarget.of("vote:" + UUID.randomUUID());

	private final List<LockStore> opened = new ArrayList<>();

	private final LockStore quorum = open(QuorumStores.create());

	@AfterEach
	void close() {
		this.opened.forEach(LockStore::close);
	}

	@Test
	void lockHeldOnAMinorityDoesNotPreventAGrant() {
		QuorumStores.occupy(this.target, "you", 0, 1);

		granted(this.quorum, "me");

		QuorumStores.awaitOwners(this.target, "you", "you", "me", "me", "me");
		LockState holder = QuorumStores.join(this.quorum.inspect(this.target)).orElseThrow();
		assertThat(holder.owner()).isEqualTo("me");
		assertThat(holder.waiters()).as("there is no queue").isNull();
	}

	@Test
	void refusedCallerMayRepeatItsRequestAndBeGranted() {
		List<AcquireRequest> others = QuorumStores.occupy(this.target, "you", 0, 1, 2);
		AcquireRequest request = request("me");
		assertThat(QuorumStores.join(this.quorum.acquire(request))).isInstanceOf(AcquireReply.Held.class);
		QuorumStores.release(others, 0, 1, 2);

		assertThat(QuorumStores.join(this.quorum.acquire(request))).isInstanceOf(AcquireReply.Granted.class);

		QuorumStores.awaitOwners(this.target, "me", "me", "me", "me", "me");
		assertThat(QuorumStores.join(this.quorum.release(request, Duration.ZERO))).isTrue();
		QuorumStores.awaitOwners(this.target, "-", "-", "-", "-", "-");
	}

	@Test
	void callerKeepsItsSplitVotesUntilAnotherCallerReleases() {
		List<AcquireRequest> others = QuorumStores.occupy(this.target, "zoe", 0, 1);
		QuorumStores.occupy(this.target, "yan", 2);

		CompletableFuture<AcquireReply> me = this.quorum.acquire(request("me")).toCompletableFuture();
		QuorumStores.awaitOwners(this.target, "zoe", "zoe", "yan", "me", "me");
		assertThat(me).isNotDone();
		QuorumStores.release(others, 0);

		assertThat(QuorumStores.join(me)).isInstanceOf(AcquireReply.Granted.class);
	}

	@Test
	void possibleGrantIsWithdrawnEvenIfALaterRequestHadNoEffect() {
		QuorumStores.occupy(this.target, "zoe", 2);
		QuorumStores.occupy(this.target, "yan", 3);
		AtomicInteger number = new AtomicInteger();
		LockStore unlucky = open(QuorumStores.create(Duration.ofMillis(300), (node) -> (number.getAndIncrement() == 4)
				? QuorumStores.disguised(node, LosingFirstReply::new) : node));

		assertThat(QuorumStores.join(unlucky.acquire(request("me")))).isInstanceOfSatisfying(AcquireReply.Held.class,
				(held) -> assertThat(held.queued() || held.notified()).isFalse());

		QuorumStores.awaitOwners(this.target, "-", "-", "zoe", "yan", "-");
	}

	@Test
	void serverThatLostTheLockDuringASplitVoteDoesNotCount() {
		// This server has the greatest token, which need not be written to it again.
		remember(4, Instant.now().plusSeconds(300), "before");
		List<AcquireRequest> others = QuorumStores.occupy(this.target, "zoe", 0, 1);
		QuorumStores.occupy(this.target, "yan", 2);
		CompletableFuture<AcquireReply> me = this.quorum.acquire(request("me")).toCompletableFuture();
		QuorumStores.awaitOwners(this.target, "zoe", "zoe", "yan", "me", "me");

		this.masters.node(4).command("SET", "distributed_lock:" + this.target, "you", "PX", "60000");
		QuorumStores.release(others, 0);

		LockStoreException failure = catchThrowableOfType(LockStoreException.class, () -> QuorumStores.join(me));
		assertThat(failure.isRetryable()).isTrue();
	}

	// fencing

	@Test
	void tokenIsTheGreatestOfTheMajorityAndIsKnownToAMajority() {
		Instant ahead = Instant.now().plusSeconds(300);
		remember(4, ahead, "before");
		// The server that is ahead must be part of the vote.
		QuorumStores.occupy(this.target, "you", 0, 1);

		long token = granted(this.quorum, "me");

		assertThat(token).isEqualTo(FencingTokens.next(ahead, 0) + 1);
		assertThat(tokens()).filteredOn((known) -> known >= token).hasSize(3);
	}

	@Test
	void tokenGrowsEvenIfTheServerWithTheFastClockRefuses() {
		remember(4, Instant.now().plusSeconds(300), "before");
		List<AcquireRequest> others = QuorumStores.occupy(this.target, "you", 0, 1);
		AcquireRequest first = request("me");
		long before = token(QuorumStores.join(this.quorum.acquire(first)));
		QuorumStores.join(this.quorum.release(first, Duration.ZERO));
		QuorumStores.awaitOwners(this.target, "you", "you", "-", "-", "-");
		QuorumStores.release(others, 0, 1);

		// A majority in which only one server knows that token.
		QuorumStores.occupy(this.target, "you", 3, 4);
		long after = granted(this.quorum, "me too");

		assertThat(after).isGreaterThan(before);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void tokenThatCannotBeWrittenBackIsNotReturned(boolean outcomeUnknown) {
		LockStore forgetful = open(QuorumStores.create((node) -> new QuorumNode(node.name(), node.store(),
				(granted, request, token,
						seen) -> CompletableFuture.failedFuture(new LockStoreException(granted.target(),
								"Lock '%s': acquire failed: no reply".formatted(granted.target()), null, true,
								outcomeUnknown)))));
		AcquireRequest request = request("me");

		LockStoreException failure = catchThrowableOfType(LockStoreException.class,
				() -> QuorumStores.join(forgetful.acquire(request)));

		assertThat(failure).hasMessageContaining("(no reply)");
		assertThat(failure.isRetryable()).isTrue();
		assertThat(failure.isOutcomeUnknown()).isTrue();
		QuorumStores.awaitOwners(this.target, "-", "-", "-", "-", "-");
	}

	// force

	@ParameterizedTest
	@CsvSource({ "2, false", "3, true" })
	void storeIsNotifiedOfForceIfAMajorityOfServersIs(int count, boolean heard) {
		AtomicInteger number = new AtomicInteger();
		LockStore telling = open(QuorumStores.create((node) -> QuorumStores.disguised(node,
				(store) -> new Telling(store, number.getAndIncrement() < count))));

		assertThat(telling.status(true).notifiedOfForce()).isEqualTo(heard);
	}

	// several locks

	@Test
	void noneOfSeveralLocksIsKeptIfOneIsRefused() {
		LockTarget other = LockTarget.of(this.target.name() + ":other");
		LockTarget both = LockTarget.allOf(this.target, other);
		QuorumStores.occupy(this.target, "you", 0, 1, 2);

		AcquireReply reply = QuorumStores.join(this.quorum.acquire(QuorumStores.request(both, "me", "r1")));

		assertThat(reply).isInstanceOf(AcquireReply.Held.class);
		Awaitility.await("taken back").until(() -> QuorumStores.join(this.quorum.inspect(other)).isEmpty());
		QuorumStores.awaitOwners(this.target, "you", "you", "you", "-", "-");
	}

	private LockStore open(LockStore store) {
		this.opened.add(store);
		return store;
	}

	/**
	 * Store a grant on a server, made at a certain time by the server's own clock.
	 */
	private void remember(int node, Instant moment, String owner) {
		this.masters.node(node)
			.command("SET", fence(), FencingTokens.next(moment, 0) + " 1 0 r0 - " + owner, "PX", "600000");
	}

	private List<Long> tokens() {
		return this.masters.nodes()
			.stream()
			.map((node) -> String.valueOf(node.command("GET", fence())))
			.filter((fence) -> fence.contains(" "))
			.map((fence) -> Long.valueOf(fence.substring(0, fence.indexOf(' '))))
			.toList();
	}

	private String fence() {
		return "{distributed_lock:" + this.target + "}:fence";
	}

	private long granted(LockStore store, String owner) {
		return token(QuorumStores.join(store.acquire(request(owner))));
	}

	private AcquireRequest request(String owner) {
		return QuorumStores.request(this.target, owner, id());
	}

	private static String id() {
		return UUID.randomUUID().toString();
	}

	private static long token(AcquireReply reply) {
		assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
		return ((AcquireReply.Granted) reply).fencingToken();
	}

	/**
	 * A server whose first reply is lost, and which then cannot be reached for the next
	 * requests.
	 */
	private static final class LosingFirstReply extends CountingStore {

		private final AtomicBoolean asked = new AtomicBoolean();

		LosingFirstReply(LockStore store) {
			super(store);
		}

		@Override
		public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
			if (this.asked.getAndSet(true)) {
				return failure(request, false);
			}
			return super.acquire(request).thenCompose((reply) -> failure(request, true));
		}

		private static CompletionStage<AcquireReply> failure(AcquireRequest request, boolean outcomeUnknown) {
			return CompletableFuture.failedFuture(
					new LockStoreException(request.target(), "acquire failed: no reply", null, true, outcomeUnknown));
		}

	}

	/**
	 * A server for which the test decides whether its messages arrive.
	 */
	private static final class Telling extends CountingStore {

		private final boolean tells;

		Telling(LockStore store, boolean tells) {
			super(store);
			this.tells = tells;
		}

		@Override
		public StoreStatus status(boolean passing) {
			return this.tells ? StoreStatus.NOTIFIED : StoreStatus.SILENT;
		}

	}

}
