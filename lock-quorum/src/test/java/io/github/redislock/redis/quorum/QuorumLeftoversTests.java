package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.engine.CountingStore;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.FiveMasters;
import io.github.redislock.testing.NeedsRedisServer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * None of five servers keeps data of a lock without a holder, whichever replies were
 * lost.
 */
@NeedsRedisServer
@Tag("promise-quorum")
class QuorumLeftoversTests {

	private static final int REPETITIONS = Integer.getInteger("quorum.repetitions", 2);

	private final FiveMasters masters = FiveMasters.shared();

	private final LockTarget target = LockTarget.of("leftover:" + UUID.randomUUID());

	private final List<LockStore> opened = new ArrayList<>();

	private final AtomicBoolean trouble = new AtomicBoolean();

	private final AtomicInteger missedReleases = new AtomicInteger();

	@AfterEach
	void close() {
		this.opened.forEach(LockStore::close);
	}

	/**
	 * The network comes back while the withdrawal is sent, so some servers may have
	 * missed it.
	 */
	@Test
	void templateLeavesNothingIfTheNetworkFailsBetweenGrantAndToken() {
		int orphans = 0;
		try (RedisLockTemplate locks = new RedisLockTemplate(cutOffWithTheFirstToken(), LockConfiguration.defaults())) {
			for (int repetition = 0; repetition < REPETITIONS; repetition++) {
				LockTarget lock = LockTarget.of("leftover:" + UUID.randomUUID());
				assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.acquire(lock,
						LockOptions.options().timeout(Duration.ofMinutes(1)).waitTime(Duration.ofMillis(500))));
				this.trouble.set(false);
				orphans += isFree(lock) ? 0 : 1;
			}
		}

		assertThat(orphans).as("orphans in %d repetitions", REPETITIONS).isZero();
	}

	@Test
	void releaseMissedByAMinorityIsRepeatedInTheBackground() {
		LockStore quorum = open(deaf(3, 4));
		AcquireRequest request = request("me");
		assertThat(QuorumStores.join(quorum.acquire(request))).isInstanceOf(AcquireReply.Granted.class);
		this.trouble.set(true);
		assertThat(QuorumStores.join(quorum.release(request, Duration.ZERO))).isTrue();
		QuorumStores.awaitOwners(this.target, "-", "-", "-", "me", "me");

		this.trouble.set(false);

		QuorumStores.awaitOwners(this.target, "-", "-", "-", "-", "-");
	}

	/**
	 * The release is still repeated when the original lease and its grace are over.
	 */
	@Test
	void releaseOfARenewedLockIsRepeatedUntilTheMinorityReplies() {
		Duration original = Duration.ofSeconds(3);
		try (RedisLockTemplate locks = new RedisLockTemplate(deaf(3, 4), LockConfiguration.defaults())) {
			LockHandle lock = locks.acquire(this.target, LockOptions.options().timeout(original));
			lock.renew(Duration.ofMinutes(1));
			QuorumStores.awaitOwners(this.target, lock.owner(), lock.owner(), lock.owner(), lock.owner(), lock.owner());
			this.trouble.set(true);
			assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);

			long over = System.nanoTime() + original.plusMillis(300).toNanos();
			Awaitility.await("end of the original lease").until(() -> System.nanoTime() - over > 0);
			int missed = this.missedReleases.get();
			Awaitility.await("another attempt").until(() -> this.missedReleases.get() > missed + 2);
			this.trouble.set(false);

			QuorumStores.awaitOwners(this.target, "-", "-", "-", "-", "-");
		}
	}

	@Test
	void failedWithdrawalOfARefusedAttemptIsRepeatedInTheBackground() {
		LockStore quorum = open(deaf(0, 1, 2, 3, 4));
		QuorumStores.occupy(this.target, "you", 0, 1, 2);
		this.trouble.set(true);
		assertThat(QuorumStores.join(quorum.acquire(request("me")))).isInstanceOf(AcquireReply.Held.class);
		QuorumStores.awaitOwners(this.target, "you", "you", "you", "me", "me");

		this.trouble.set(false);

		QuorumStores.awaitOwners(this.target, "you", "you", "you", "-", "-");
		Awaitility.await().until(() -> openRequests(quorum) == 0);
	}

	@Test
	void serverThatGrantsAfterTheReleaseFreesTheLock() {
		CompletableFuture<@Nullable Void> later = new CompletableFuture<>();
		LockStore quorum = open(with((store) -> new SlowAcquisitions(store, later), 4));
		AcquireRequest request = request("me");
		assertThat(QuorumStores.join(quorum.acquire(request))).isInstanceOf(AcquireReply.Granted.class);

		assertThat(QuorumStores.join(quorum.release(request, Duration.ZERO))).isTrue();
		later.complete(null);

		Awaitility.await().until(() -> openRequests(quorum) == 0);
		QuorumStores.awaitOwners(this.target, "-", "-", "-", "-", "-");
		assertThat(tombstones(4)).isEmpty();
	}

	@Test
	void releaseReportsLossIfTheMajorityLostTheLockUnnoticed() {
		// The caller must assume that servers 3 and 4 have the lock.
		LockStore quorum = open(with((store) -> new Deaf(store, Kind.ACQUIRE), 3, 4));
		this.trouble.set(true);
		AcquireRequest request = request("me");
		assertThat(QuorumStores.join(quorum.acquire(request))).isInstanceOf(AcquireReply.Granted.class);
		this.masters.first(2).forEach((node) -> node.command("DEL", "distributed_lock:" + this.target));
		QuorumStores.occupy(this.target, "you", 0, 1, 3);

		assertThat(QuorumStores.join(quorum.release(request, Duration.ZERO))).isFalse();
	}

	@Test
	void refusedAttemptsAreNotRemembered() {
		QuorumStores.occupy(this.target, "you", 0, 1, 2);
		QuorumLockStore quorum = (QuorumLockStore) QuorumStores.create();
		try (RedisLockTemplate locks = new RedisLockTemplate(quorum, LockConfiguration.defaults())) {
			for (int attempt = 0; attempt < 50; attempt++) {
				assertThat(
						locks.tryAcquire(this.target, LockOptions.options().timeout(Duration.ofMinutes(30)).retry(0)))
					.isNull();
			}

			Awaitility.await().until(() -> openRequests(quorum) == 0);
			assertThat(tombstones(3)).isEmpty();
		}
	}

	/**
	 * Return a store that loses all servers as soon as it writes back a token.
	 */
	private LockStore cutOffWithTheFirstToken() {
		return QuorumStores.create((node) -> new QuorumNode(node.name(),
				new Deaf(node.store(), Kind.ACQUIRE, Kind.WITHDRAW), (granted, request, token, seen) -> {
					this.trouble.set(true);
					return noReply(granted.target());
				}));
	}

	/**
	 * Return a store with some servers that receive no release during trouble.
	 */
	private LockStore deaf(int... nodes) {
		return with((store) -> new Deaf(store, Kind.WITHDRAW, Kind.RELEASE), nodes);
	}

	/**
	 * Return a store with some of its servers replaced.
	 */
	private LockStore with(UnaryOperator<LockStore> replacement, int... nodes) {
		return QuorumStores.create((node) -> isOneOf(node, nodes) ? QuorumStores.disguised(node, replacement) : node);
	}

	private static boolean isFree(LockTarget lock) {
		try {
			QuorumStores.awaitOwners(lock, "-", "-", "-", "-", "-");
			return true;
		}
		catch (ConditionTimeoutException ex) {
			return false;
		}
	}

	private LockStore open(LockStore store) {
		this.opened.add(store);
		return store;
	}

	private boolean isOneOf(QuorumNode node, int... nodes) {
		return IntStream.of(nodes).anyMatch((index) -> node.name().endsWith(":" + this.masters.node(index).port()));
	}

	private List<?> tombstones(int node) {
		return (List<?>) this.masters.node(node).command("KEYS", "*" + this.target + "*:cancel:*");
	}

	private static int openRequests(LockStore quorum) {
		return ((QuorumLockStore) quorum).openRequests();
	}

	private AcquireRequest request(String owner) {
		return QuorumStores.request(this.target, owner, UUID.randomUUID().toString());
	}

	private static <T> CompletionStage<T> noReply(LockTarget target) {
		return CompletableFuture.failedFuture(new LockStoreException(target, "no reply", null, true, true));
	}

	/**
	 * A server that replies late.
	 */
	private static final class SlowAcquisitions extends CountingStore {

		private final CompletableFuture<@Nullable Void> later;

		SlowAcquisitions(LockStore store, CompletableFuture<@Nullable Void> later) {
			super(store);
			this.later = later;
		}

		@Override
		public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
			return this.later.thenCompose((now) -> super.acquire(request));
		}

	}

	/**
	 * A server that some requests do not reach during trouble, although the caller does
	 * not know that.
	 */
	private final class Deaf extends CountingStore {

		private final Set<Kind> lost;

		Deaf(LockStore store, Kind... lost) {
			super(store);
			this.lost = Set.of(lost);
		}

		@Override
		public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
			return isLost(Kind.ACQUIRE) ? noReply(request.target()) : super.acquire(request);
		}

		@Override
		public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor, boolean replied) {
			return isLost(Kind.WITHDRAW) ? noReply(request.target()) : super.withdraw(request, keepFor, replied);
		}

		@Override
		public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
			if (!isLost(Kind.RELEASE)) {
				return super.release(granted, keepFor);
			}
			QuorumLeftoversTests.this.missedReleases.incrementAndGet();
			return noReply(granted.target());
		}

		private boolean isLost(Kind kind) {
			return QuorumLeftoversTests.this.trouble.get() && this.lost.contains(kind);
		}

	}

	private enum Kind {

		ACQUIRE, WITHDRAW, RELEASE

	}

}
