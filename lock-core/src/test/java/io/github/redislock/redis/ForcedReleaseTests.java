package io.github.redislock.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.redislock.LocalLocks;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.support.OwnerTokens;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holders are notified by a message. A renewal would come only after a third of ten
 * minutes.
 */
@Tag("promise-taken-by-force")
class ForcedReleaseTests {

	private static final LockTarget ORDER = LockTarget.of("order:42");

	private static final LockOptions LONG = LockOptions.options()
		.timeout(Duration.ofMinutes(10))
		.waitTime(Duration.ofMinutes(1));

	private static final String NEWS = "distributed_lock:inbox:all";

	private final RedisProcess redis = RedisProcess.start();

	private final RedisLockTemplate operator = new RedisLockTemplate(this.redis.connectionFactory());

	private final RedisLockStore holdersStore = RedisLockStore.create(this.redis.connectionFactory(),
			RedisLockStoreOptions.defaults());

	private final RedisLockTemplate holder = new RedisLockTemplate(this.holdersStore,
			LockConfiguration.defaults().instance("shop-1").slice(Duration.ofSeconds(30)));

	/** The fencing token of the last hold that was released for the next caller. */
	private long released;

	@AfterEach
	void stop() {
		this.holder.close();
		this.operator.close();
		this.redis.close();
	}

	@Test
	void holderThatNeverWaitedIsNotifiedBeforeItsNextRenewal() throws Exception {
		LockHandle lock = this.holder.acquire(ORDER, LONG);
		CompletableFuture<Void> lost = lossOf(lock);
		awaitListeners(1);
		long begin = System.nanoTime();

		assertThat(this.operator.forceRelease(ORDER)).isTrue();

		lost.get(20, TimeUnit.SECONDS);
		System.out.printf("[forced release] holder told after %d us%n", (System.nanoTime() - begin) / 1_000);
		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
	}

	@Test
	void holderOfANonExpiringLockIsNotifiedAfterAFailedFirstSubscription() throws Exception {
		this.redis.command("ACL", "SETUSER", "default", "-subscribe");
		LockHandle lock = this.holder.acquire(ORDER, LockOptions.options().neverExpires());
		CompletableFuture<Void> lost = lossOf(lock);
		Awaitility.await("refused").atMost(Duration.ofSeconds(20)).until(() -> this.holder.local().trouble() != null);
		this.redis.command("ACL", "SETUSER", "default", "+subscribe");

		Awaitility.await("mended").atMost(Duration.ofSeconds(20)).until(() -> {
			this.holder.acquire(LockTarget.of("order:43")).close();
			return this.holder.local().trouble() == null;
		});
		awaitListeners(1);
		this.operator.forceRelease(ORDER);

		lost.get(20, TimeUnit.SECONDS);
	}

	@Test
	void allHoldersOfASharedLockAreNotifiedBeforeTheirNextRenewal() throws Exception {
		List<LockHandle> locks = IntStream.range(0, 3)
			.mapToObj((number) -> this.holder.acquire(ORDER.forReading(), LONG.reentrant(false)))
			.toList();
		List<CompletableFuture<Void>> losses = locks.stream().map(ForcedReleaseTests::lossOf).toList();
		awaitListeners(1);

		assertThat(this.operator.forceRelease(ORDER)).isTrue();

		for (CompletableFuture<Void> loss : losses) {
			loss.get(20, TimeUnit.SECONDS);
		}
	}

	@Test
	void nextCallerOfTheHoldersInstanceAcquiresTheLock() throws Exception {
		LockHandle lock = this.holder.acquire(ORDER, LONG);
		CompletableFuture<LockHandle> next = acquireLater(ORDER);
		Awaitility.await().until(() -> waiting() == 1);
		awaitListeners(1);

		this.operator.forceRelease(ORDER);

		LockHandle got = next.get(20, TimeUnit.SECONDS);
		assertThat(got.fencingToken()).isGreaterThan(lock.fencingToken());
		assertThat(got.verify()).isTrue();
		assertThat(lock.isHeld()).isFalse();
		got.close();
	}

	@Test
	void holdersInstanceKnowsTheFencingTokenOfTheCurrentHold() throws Exception {
		this.holder.acquire(LockTarget.of("order:41")).close();
		LockHandle writer = passedOn(ORDER);
		assertThat(tokens(this.holder, "order:42")).containsExactly(writer.fencingToken(), writer.fencingToken());
		assertThat(tokens(this.operator, "order:42")).containsExactly(writer.fencingToken() - 1,
				writer.fencingToken() + 31);
		writer.close();
		LockHandle several = passedOn(LockTarget.allOf(LockTarget.of("a"), LockTarget.of("b")));
		assertThat(tokens(this.holder, "b")).containsExactly(several.fencingToken(), several.fencingToken());
		several.close();
	}

	@Test
	void holderIsNotifiedOfAManualDeletionByAManualNotice() throws Exception {
		LockHandle lock = this.holder.acquire(ORDER, LONG);
		CompletableFuture<Void> lost = lossOf(lock);
		awaitListeners(1);

		this.redis.command("DEL", "distributed_lock:order:42");
		this.redis.command("PUBLISH", NEWS, "forced order:42");

		lost.get(20, TimeUnit.SECONDS);
	}

	@Test
	void snapshotListsHeldLocksAndWaiters() {
		LockHandle lock = this.holder.acquire(ORDER, LONG);
		LockHandle other = this.operator.acquire(LockTarget.of("order:43"), LONG);
		CompletableFuture<LockHandle> local = acquireLater(ORDER);
		CompletableFuture<LockHandle> remote = acquireLater(LockTarget.of("order:43"));
		Awaitility.await("both wait")
			.atMost(Duration.ofSeconds(20))
			.until(() -> waiting() == 2
					&& this.holder.local().waiting().stream().allMatch((wanted) -> wanted.behind() != null));

		LocalLocks snapshot = this.holder.local();

		assertThat(snapshot.instance()).isEqualTo("shop-1");
		assertThat(snapshot.trouble()).isNull();
		assertThat(snapshot.held()).singleElement().satisfies((held) -> {
			assertThat(held.target()).isEqualTo(ORDER);
			assertThat(held.fencingToken()).isEqualTo(lock.fencingToken());
			assertThat(held.owner()).startsWith("shop-1/").endsWith("…").doesNotContain(lock.owner());
			assertThat(held.remaining()).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(10));
			assertThat(held.waiting()).isEqualTo(1);
			assertThat(held.entries()).isEqualTo(1);
			assertThat(held.renewed()).isTrue();
			assertThat(held.renewalFailure()).isNull();
			assertThat(held.thread()).isEqualTo(Thread.currentThread().getName());
		});
		assertThat(snapshot.waiting()).extracting((wanted) -> wanted.target().name())
			.containsExactlyInAnyOrder("order:42", "order:43");
		assertThat(snapshot.waiting()).allSatisfy((wanted) -> assertThat(wanted.callers()).isEqualTo(1));
		LockState behind = snapshot.waiting()
			.stream()
			.filter((wanted) -> wanted.target().name().equals("order:43"))
			.findFirst()
			.orElseThrow()
			.behind();
		assertThat(behind).isNotNull();
		assertThat(behind.shortOwner()).isEqualTo(OwnerTokens.shortened(other.owner()));
		lock.close();
		other.close();
		local.join().close();
		remote.join().close();
		Awaitility.await().untilAsserted(() -> assertThat(this.holder.local().held()).isEmpty());
		assertThat(this.holder.local().waiting()).isEmpty();
	}

	/**
	 * Acquire a lock that the previous holder passes on within its instance.
	 */
	private LockHandle passedOn(LockTarget target) throws Exception {
		Awaitility.await("hears of force").until(() -> this.holdersStore.status(true).notifiedOfForce());
		LockHandle got = handedToNext(target);
		if (got.fencingToken() != this.released + 1) {
			// The lock was granted before the engine was subscribed, so it was not passed
			// on. Try once more.
			got.close();
			got = handedToNext(target);
		}
		assertThat(got.fencingToken()).isEqualTo(this.released + 1);
		return got;
	}

	private LockHandle handedToNext(LockTarget target) throws Exception {
		LockHandle first = this.holder.acquire(target, LONG);
		CompletableFuture<LockHandle> next = acquireLater(target);
		Awaitility.await().until(() -> waiting() == 1);
		first.close();
		this.released = first.fencingToken();
		return next.get(20, TimeUnit.SECONDS);
	}

	private CompletableFuture<LockHandle> acquireLater(LockTarget target) {
		return CompletableFuture.supplyAsync(() -> this.holder.acquire(target, LONG), OwnThread::run);
	}

	private static List<Long> tokens(RedisLockTemplate locks, String name) {
		LockState state = locks.inspect(LockTarget.of(name)).orElseThrow();
		return Arrays.asList(state.fencingToken(), state.lastFencingToken());
	}

	private int waiting() {
		return this.holder.local().waiting().stream().mapToInt(LocalLocks.Waiting::callers).sum();
	}

	private void awaitListeners(int count) {
		Awaitility.await("subscribed")
			.atMost(Duration.ofSeconds(20))
			.until(() -> String.valueOf(this.redis.command("PUBSUB", "NUMSUB", NEWS)).contains(", " + count + "]"));
	}

	private static CompletableFuture<Void> lossOf(LockHandle lock) {
		CompletableFuture<Void> lost = new CompletableFuture<>();
		lock.onLost(() -> lost.complete(null));
		return lost;
	}

}
