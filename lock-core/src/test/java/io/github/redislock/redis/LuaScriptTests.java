package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Supplier;

import io.github.redislock.redis.LuaScripts.Asker;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.redislock.redis.LuaScripts.CANCEL;
import static io.github.redislock.redis.LuaScripts.FENCE;
import static io.github.redislock.redis.LuaScripts.LOCK;
import static io.github.redislock.redis.LuaScripts.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests each script in isolation with a real Redis.
 *
 * @see LuaQueueTests
 */
@ExtendWith(RedisServerExtension.class)
@Tag("promise-3")
@Tag("promise-5")
class LuaScriptTests {

	private static final String OTHER_TYPE = "holds data of another type";

	private static final Asker ME = new Asker("me/r1", "r1");

	private final LuaScripts lua = scripts();

	LuaScripts scripts() {
		return new LuaScripts();
	}

	// acquire

	@Test
	void acquireGrantsAFreeLock() {
		List<Object> reply = this.lua.acquire("me", "r1");

		assertThat(reply).hasSize(2).first().isEqualTo(1L);
		assertThat(this.lua.get(LOCK)).isEqualTo("me");
		assertThat(this.lua.timeToLive(LOCK)).isBetween(50_000L, 60_000L);
		assertThat(this.lua.get(FENCE)).isEqualTo(reply.get(1) + " 1 0 r1 - me");
		assertThat(this.lua.timeToLive(FENCE)).isBetween(60_001L, 62_000L);
		assertThat(this.lua.keys()).containsExactlyInAnyOrder(LOCK, FENCE);
	}

	/** The clock may have gone back. */
	@Test
	void acquireReturnsAGreaterTokenAndKeepsItsEveryDigit() {
		long last = (1L << 53) - 2;
		this.lua.redis.opsForValue().set(FENCE, last + " 1 0 r0 - other", Duration.ofMinutes(1));

		assertThat(this.lua.acquire("me", "r1")).isEqualTo(List.of(1L, last + 1));
		assertThat(this.lua.get(FENCE)).isEqualTo((last + 1) + " 1 0 r1 - me");
	}

	@Test
	void foreignValueIsAHolderIfItExpiresAndAConflictIfNot() {
		this.lua.acquire("me", "r1");
		this.lua.redis.opsForValue().set(LOCK, "3f2a77", Duration.ofMinutes(1));

		List<Object> reply = this.lua.acquire("you", "r2");

		assertThat(reply.get(1)).isEqualTo("3f2a77");
		assertThat((Long) reply.get(2)).isBetween(50_000L, 60_000L);
		assertThat(reply.subList(3, 5)).as("no token, no waiters").isEqualTo(List.of(0L, 0L));

		this.lua.redis.persist(LOCK);
		List<String> before = this.lua.state();

		assertThat(this.lua.acquire("you", "r2")).isEqualTo(List.of(3L));
		assertThat(this.lua.acquire(new Asker("you", "r2").waitingAt("-"))).isEqualTo(List.of(3L));
		assertThat(this.lua.yield("me", "r1", new Asker("you", "r2").waitingAt("-"))).isEqualTo(List.of(0L, 3L));
		assertThat(this.lua.state()).isEqualTo(before);
	}

	@Test
	void duplicateAcquireAfterTheReleaseDoesNotTakeTheLock() {
		long token = this.lua.granted("me", "r1");
		this.lua.release("me", "r1");

		assertThat(this.lua.acquire("me", "r1")).isEqualTo(List.of(2L));

		assertThat(this.lua.keys()).containsExactly(FENCE);
		assertThat(this.lua.release("me", "r1")).as("a repeated release").isEqualTo(1);
		assertThat(this.lua.granted("me", "r2")).as("another request of the owner").isGreaterThan(token);
	}

	@Test
	void acquireAfterTheLeaseExpiredIsNotTreatedAsADuplicate() {
		this.lua.acquire("me", "r1");
		this.lua.redis.delete(LOCK);

		assertThat(this.lua.acquire("me", "r1")).first().isEqualTo(1L);
	}

	@Test
	void fenceExpiresSecondsAfterTheRelease() {
		for (long timeToLive : new long[] { 0, 3_600_000 }) {
			released(timeToLive, () -> this.lua.release("me", "r1"));
			released(timeToLive, () -> this.lua.withdraw("me", "r1"));
			released(timeToLive, this.lua::forceRelease);
		}
	}

	private void released(long timeToLive, Supplier<Long> end) {
		Object token = this.lua.acquire(new Asker("me", "r1").timeToLive(timeToLive)).get(1);

		assertThat(end.get()).isEqualTo(1);

		assertThat(this.lua.get(LOCK)).isNull();
		assertThat(this.lua.timeToLive(FENCE)).isBetween(1L, 5_000L);
		assertThat(this.lua.granted("you", "r2")).isGreaterThan((Long) token);
		TestRedis.shared().reset();
	}

	@Test
	void fenceOfALockWithoutExpiryExpiresAfterItsHandOver() {
		this.lua.acquire(new Asker("me", "r1").timeToLive(0));
		this.lua.acquire(new Asker("you/r2", "r2").waitingAt("-"));

		this.lua.release("me", "r1");

		assertThat(this.lua.holder()).isEqualTo("you/r2");
		assertThat(this.lua.timeToLive(FENCE)).isPositive();
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 3_600_000 })
	void lockAndFenceExpireAfterADelayedRelease(long timeToLive) {
		this.lua.acquire(new Asker("me", "r1").timeToLive(timeToLive));

		this.lua.releaseAfter(20_000, "me", "r1");

		assertThat(this.lua.timeToLive(LOCK)).isBetween(1L, 20_000L);
		assertThat(this.lua.timeToLive(FENCE)).isBetween(20_001L, 25_000L);
	}

	@Test
	void fenceOutlivesTheReleaseUntilTheClockHasPassedItsTokens() {
		for (Supplier<Long> end : List.<Supplier<Long>>of(() -> this.lua.release("me", "r1"),
				() -> this.lua.releaseAfter(1, "me", "r1"), () -> this.lua.withdraw("me", "r1"),
				this.lua::forceRelease)) {
			long ahead = (System.currentTimeMillis() + 600_000) * 1_000;
			this.lua.redis.opsForValue().set(FENCE, ahead + " 1 0 r0 - other", Duration.ofMinutes(20));
			this.lua.acquire("me", "r1");

			assertThat(end.get()).isEqualTo(1);

			assertThat(this.lua.timeToLive(FENCE)).isBetween(580_000L, 610_000L);
			TestRedis.shared().reset();
		}
	}

	@Test
	void lockWithACorruptFenceCanBeReleased() {
		for (String owner : List.of("me", "me/r1")) {
			this.lua.acquire(owner, "r1");
			this.lua.redis.delete(FENCE);
			this.lua.redis.opsForList().rightPush(FENCE, "spoilt");

			assertThat(this.lua.release(owner, "r1")).isEqualTo(1);

			assertThat(this.lua.get(LOCK)).isNull();
			this.lua.redis.delete(FENCE);
		}
	}

	@Test
	void acquireByTheHolderSwitchesBetweenALeaseAndNoExpiry() {
		this.lua.acquire("me", "r1");

		this.lua.acquire(new Asker("me", "r1").timeToLive(0));
		assertThat(this.lua.timeToLive(LOCK)).isEqualTo(-1);
		assertThat(this.lua.timeToLive(FENCE)).isEqualTo(-1);

		this.lua.acquire(new Asker("me", "r1").timeToLive(30_000));
		assertThat(this.lua.timeToLive(LOCK)).isBetween(20_000L, 30_000L);
		assertThat(this.lua.timeToLive(FENCE)).isBetween(20_000L, 33_000L);
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 60_000 })
	void acquireByTheHolderRestoresALostFence(long timeToLive) {
		boolean endless = timeToLive == 0;
		Asker me = new Asker("me", "r1").timeToLive(timeToLive);
		long first = (Long) this.lua.acquire(me).get(1);
		this.lua.redis.delete(FENCE);
		assertThat(this.lua.acquire("you", "r2").get(0)).as("conflict").isEqualTo(endless ? 3L : 0L);

		long second = (Long) this.lua.acquire(new Asker("me", "r3").timeToLive(timeToLive)).get(1);

		assertThat(second).isGreaterThan(first);
		assertThat(this.lua.get(FENCE)).isEqualTo(second + " 1 0 r3 - me");
		assertThat(this.lua.timeToLive(FENCE) == -1).isEqualTo(endless);
		assertThat(this.lua.acquire("you", "r2")).first().isEqualTo(0L);
	}

	@Test
	void acquireIgnoresACorruptFence() {
		this.lua.redis.opsForValue().set(FENCE, "spoilt");

		assertThat(this.lua.acquire("me", "r1")).first().isEqualTo(1L);

		assertThat(this.lua.get(FENCE)).endsWith(" r1 - me");
		assertThat(this.lua.timeToLive(FENCE)).isPositive();
	}

	@Test
	void acquireAcceptsOwnersWithSpaces() {
		Object token = this.lua.acquire("my job/17 b", "r1").get(1);

		assertThat(this.lua.acquire("my job/17 b", "r1")).isEqualTo(List.of(1L, token));
		assertThat(this.lua.release("my job/17 b", "r1")).isEqualTo(1);
		assertThat(this.lua.release("my job/17 b", "r1")).isEqualTo(1);
		assertThat(this.lua.release("b", "r1")).isZero();
	}

	// a lock whose value says all about its holder

	@Test
	void lockOfARequestWithItsOwnOwnerTokenNeedsNoFence() {
		long token = (Long) this.lua.acquire(ME.tokens(33)).get(1);

		assertThat(this.lua.get(LOCK)).isEqualTo("me/r1\t33\t" + token + "\t-");
		assertThat(this.lua.keys()).containsExactly(LOCK);
		assertThat(this.lua.acquire(ME)).as("requested again").containsExactly(1L, token);
		assertThat(this.lua.take("you/r2")).isEqualTo(0L);
		assertThat(this.lua.share(new Asker("you/r2", "r2"), 3)).startsWith(0L, "me/r1").endsWith(token, 0L);
		assertThat(this.lua.inspect()).startsWith("me/r1").endsWith(token, 0L, 1L, token + 32);
		assertThat(this.lua.renew("me/r1", 100_000)).isOne();
		assertThat(this.lua.renew("me/r2", 100_000)).isZero();
		assertThat(this.lua.timeToLive(LOCK)).isBetween(90_000L, 100_000L);
		assertThat(this.lua.keys()).containsExactly(LOCK);
		assertThat(this.lua.forceRelease("me/r2")).isZero();
		assertThat(this.lua.forceRelease("me/r1")).isOne();
		assertThat(this.lua.release("me/r1", "r1")).isZero();
		assertThat(this.lua.granted("me/r1", "r1")).isGreaterThan(token + 32);
	}

	@Test
	void releaseSentTwiceGetsTheSameReplyAfterAHandOver() {
		for (String owner : List.of("me/r1", "me")) {
			for (String next : List.of("you/r2", "you")) {
				this.lua.acquire(owner, "r1");
				this.lua.acquire(new Asker(next, "r2").waitingAt("-"));
				assertThat(this.lua.release(owner, "r1")).isOne();

				assertThat(this.lua.release(owner, "r1")).as("held by the next one").isOne();
				assertThat(this.lua.release("he/r3", "r3")).isZero();
				assertThat(this.lua.release(next, "r2")).isOne();
				assertThat(this.lua.release(owner, "r1")).as("free").isOne();
				assertThat(this.lua.release(next, "r2")).isOne();
				assertThat(this.lua.acquire(next, "r2")).as("late copy").containsExactly(2L);
				TestRedis.shared().reset();
			}
		}
	}

	@Test
	void requestWhoseGrantWasWithdrawnMayAskAgain() {
		for (String owner : List.of("me/r1", "me")) {
			long token = this.lua.granted(owner, "r1");
			assertThat(this.lua.withdrawArrived(owner, "r1")).isOne();

			assertThat(this.lua.keys()).containsExactly(FENCE);
			assertThat(this.lua.granted(owner, "r1")).isGreaterThan(token);
			TestRedis.shared().reset();
		}
	}

	@Test
	void lossIsReportedAlthoughTheFenceNamedTheHolderBefore() {
		for (boolean forced : List.of(true, false)) {
			this.lua.taken("me/r1");
			this.lua.acquire(new Asker("you/r2", "r2").waitingAt("-"));
			assertThat(this.lua.get(FENCE)).endsWith(" r1 - me/r1");
			if (forced) {
				this.lua.forceRelease();
			}
			else {
				this.lua.expire();
				this.lua.acquire(new Asker("you/r2", "r2").waitingAt("-"));
			}
			assertThat(this.lua.holder()).isEqualTo("you/r2");
			this.lua.expire();

			assertThat(this.lua.release("me/r1", "r1")).isZero();
			TestRedis.shared().reset();
		}
	}

	// release

	@Test
	void releaseOfAnExpiredLockThatIsStillFreeSucceeds() {
		this.lua.acquire("me", "r1");
		this.lua.expire();

		assertThat(this.lua.release("me", "r1")).isEqualTo(1);
	}

	// renew

	@Test
	void renewSetsALongerOrAShorterLease() {
		this.lua.acquire("me", "r1");

		assertThat(this.lua.renew("me", 100_000)).isEqualTo(1);
		assertThat(this.lua.timeToLive(LOCK)).isBetween(90_000L, 100_000L);
		assertThat(this.lua.timeToLive(FENCE)).isBetween(100_001L, 102_500L);

		assertThat(this.lua.renew("me", 5_000)).isEqualTo(1);
		assertThat(this.lua.timeToLive(LOCK)).isBetween(1L, 5_000L);
		assertThat(this.lua.timeToLive(FENCE)).as("never forgets sooner").isBetween(90_001L, 102_500L);
	}

	@Test
	void eachLockIsRenewedByItsOwnRecord() {
		this.lua.acquire("me", "r1");
		String other = LuaSeveralScripts.lock("other");
		String fence = LuaSeveralScripts.beside("other", "fence");
		String kept = Objects.requireNonNull(this.lua.get(FENCE))
			.replaceFirst("^(\\d+ \\d+) \\d+", "$1 " + (System.currentTimeMillis() + 100_000));
		this.lua.redis.opsForValue().set(other, "me");
		// Without an expiry, so that the renewal sets one.
		this.lua.redis.opsForValue().set(fence, kept);
		this.lua.redis.persist(FENCE);

		assertThat(LuaScripts.run(LockScript.RENEW, List.of(LOCK, FENCE, other, fence), "me", 10_000, "me", 10_000))
			.isEqualTo(List.of(1L, 1L));

		assertThat(this.lua.timeToLive(other)).isBetween(1L, 10_000L);
		assertThat(this.lua.timeToLive(fence)).as("kept as its record says").isBetween(50_000L, 101_000L);
	}

	// withdraw

	@Test
	void withdrawRevokesTheGrantAndLeavesAMark() {
		this.lua.acquire("me", "r1");

		assertThat(this.lua.withdraw("me", "r1")).isEqualTo(1);
		assertThat(this.lua.withdraw("me", "r1")).isZero();

		assertThat(this.lua.keys()).containsExactlyInAnyOrder(FENCE, CANCEL + "r1");
		assertThat(this.lua.timeToLive(CANCEL + "r1")).isBetween(1L, 5_000L);
	}

	@Test
	void withdrawWithMinimumTimeKeepsTheLock() {
		this.lua.acquire("me", "r1");

		assertThat(this.lua.withdrawAfter(20_000, "me", "r1")).isEqualTo(1);

		assertThat(this.lua.timeToLive(LOCK)).isBetween(1L, 20_000L);
	}

	// force release

	@Test
	void forceReleaseFreesTheLockAndForgetsItsHolderButNotItsToken() {
		Object token = this.lua.acquire("me", "r1").get(1);

		assertThat(this.lua.forceRelease()).isEqualTo(1L);

		assertThat(this.lua.keys()).containsExactly(FENCE);
		assertThat(this.lua.get(FENCE)).isEqualTo(token + " 1 0 - - ");
		assertThat(this.lua.timeToLive(FENCE)).isBetween(1L, 2_500L);
		assertThat(this.lua.release("me", "r1")).isZero();
		assertThat(this.lua.forceRelease()).isEqualTo(0L);
	}

	/** The health check relies on it. */
	@Test
	void forceReleaseOfAFreeLockFailsIfRedisAcceptsNoWrites() {
		this.lua.withTooFewReplicas(() -> LuaScripts.refused(() -> this.lua.forceRelease(), "min-replicas-to-write"));
	}

	@Test
	void noOwnerMatchesTheHolderForgottenByForceRelease() {
		this.lua.granted("-", "r1");

		this.lua.forceRelease();

		assertThat(this.lua.release("-", "r1")).isZero();
	}

	@Test
	void forceReleaseNotifiesAllInstances() {
		try (RecordingInbox news = new RecordingInbox(LuaScripts.NEWS)) {
			this.lua.forceRelease();
			assertThat(news.messages()).as("free").isEmpty();

			this.lua.granted("me", "first");
			this.lua.forceRelease("other");
			assertThat(news.messages()).as("not the owner's").isEmpty();

			this.lua.forceRelease("me");
			assertThat(news.messages()).containsExactly("forced order:42");
		}
	}

	@Test
	void forceReleaseFreesAForeignValueOnlyIfItExpires() {
		this.lua.redis.opsForValue().set(LOCK, "somebody's data");
		assertThat(this.lua.forceRelease()).isEqualTo(2L);
		assertThat(this.lua.get(LOCK)).isEqualTo("somebody's data");
		assertThat(this.lua.keys()).containsExactly(LOCK);

		this.lua.redis.expire(LOCK, Duration.ofMinutes(1));
		assertThat(this.lua.forceRelease()).isEqualTo(1L);
		assertThat(this.lua.keys()).isEmpty();
	}

	// all

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void keyOfAnotherTypeIsNeverTouched(boolean awaited) {
		if (awaited) {
			this.lua.acquire("me", "r1");
			this.lua.acquire(new Asker("you", "r2").waitingAt("-"));
			this.lua.redis.delete(LOCK);
		}
		this.lua.redis.opsForHash().put(LOCK, "field", "value");

		for (Runnable attempt : List.<Runnable>of(() -> this.lua.acquire("she", "r3"),
				() -> this.lua.acquire(new Asker("she", "r3").timeToLive(0)),
				() -> this.lua.acquire(new Asker("she", "r3").waitingAt("-")),
				() -> this.lua.acquire(new Asker("you", "r2").waitingAt("-")),
				() -> this.lua.yield("me", "r1", new Asker("me again", "r4").waitingAt("-")), this.lua::inspect,
				this.lua::forceRelease)) {
			LuaScripts.refused(attempt, OTHER_TYPE);
		}
		assertThat(this.lua.release("me", "r1")).isZero();
		assertThat(this.lua.releaseAfter(5_000, "me", "r1")).isZero();
		assertThat(this.lua.withdraw("me", "r1")).isZero();
		assertThat(this.lua.renew("me", 60_000)).isZero();

		assertThat(this.lua.redis.opsForHash().entries(LOCK)).hasSize(1);
		assertThat(this.lua.timeToLive(LOCK)).isEqualTo(-1);
		assertThat(this.lua.keys()).contains(FENCE, CANCEL + "r1")
			.isSubsetOf(LOCK, FENCE, CANCEL + "r1", QUEUE, LuaScripts.WAITERS);
		assertThat(this.lua.queue()).isEqualTo(awaited ? List.of("r2") : List.of());
	}

	@Test
	void lockIsReleasedAlthoughItsQueueKeyHoldsForeignData() {
		this.lua.acquire("me", "r1");
		this.lua.redis.opsForValue().set(QUEUE, "somebody's data");
		assertThat(this.lua.release("me", "r1")).isEqualTo(1);
		this.lua.redis.delete(QUEUE);

		this.lua.granted("pod/r3", "r3");
		this.lua.redis.opsForValue().set(QUEUE, "somebody's data");
		this.lua.redis.opsForValue().set(LuaScripts.WAITERS, "somebody's data");
		assertThat(this.lua.release("pod/r3", "r3")).isEqualTo(1);
		this.lua.redis.delete(List.of(QUEUE, FENCE));

		this.lua.taken("pod/r2");
		this.lua.redis.opsForValue().set(QUEUE, "somebody's data");
		assertThat(this.lua.release("pod/r2", "r2")).isEqualTo(1);

		assertThat(this.lua.get(LOCK)).isNull();
		assertThat(this.lua.get(QUEUE)).isEqualTo("somebody's data");
	}

	@Test
	void lockIsNotGrantedIfItsQueueKeyHoldsForeignData() {
		this.lua.redis.opsForValue().set(QUEUE, "somebody's data");

		LuaScripts.refused(() -> this.lua.acquire("me", "r1"), OTHER_TYPE);
		LuaScripts.refused(() -> this.lua.acquire(new Asker("me", "r1").waitingAt("-")), OTHER_TYPE);

		assertThat(this.lua.get(LOCK)).isNull();
		assertThat(this.lua.get(QUEUE)).isEqualTo("somebody's data");
	}

	@Test
	void onlyKeysOfLocksWithoutExpiryNeverExpire() {
		Random random = new Random(42);
		for (int i = 0; i < 1_000; i++) {
			int number = random.nextInt(8);
			String request = "r" + number;
			String owner = owner(number);
			Asker asker = asker(random.nextInt(8), random);
			switch (random.nextInt(8)) {
				case 0, 1, 2 -> this.lua.acquire(asker);
				case 3 -> this.lua.releaseAfter(random.nextBoolean() ? 0 : 5_000, owner, request);
				case 4 -> this.lua.yield(owner, request, asker);
				case 5 -> this.lua.renew(owner, 60_000);
				case 6 -> this.lua.withdraw(owner, request);
				default -> this.lua.forceRelease();
			}
			if (random.nextInt(8) == 0) {
				this.lua.fallSilent(Duration.ofSeconds(1));
			}
			boolean endless = this.lua.timeToLive(LOCK) == -1;
			assertThat(this.lua.keys().stream().filter((key) -> !endless || (!key.equals(LOCK) && !key.equals(FENCE))))
				.allSatisfy((key) -> assertThat(this.lua.timeToLive(key)).as(key).isNotEqualTo(-1));
			assertThat(this.lua.queue()).as("each request once").doesNotHaveDuplicates();
		}
	}

	private static String owner(int request) {
		return (request % 2 == 0) ? "owner-" + request % 3 : "owner/r" + request;
	}

	/**
	 * Return a request with the same entry each time.
	 */
	private static Asker asker(int request, Random random) {
		Asker asker = new Asker(owner(request), "r" + request).timeToLive((random.nextInt(4) == 0) ? 0 : 60_000)
			.tokens(1 + 4 * request);
		return switch ((request < 2) ? 0 : 1 + random.nextInt(3)) {
			case 0 -> asker;
			case 1 -> asker.waitingAt("-");
			case 2 -> asker.waitingAt(LuaScripts.INBOX);
			default -> asker.waitingAt(LuaScripts.INBOX).inACluster();
		};
	}

}
