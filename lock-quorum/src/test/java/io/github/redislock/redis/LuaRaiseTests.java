package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.redislock.redis.LuaScripts.Asker;
import io.github.redislock.testing.RedisServerExtension;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.redislock.redis.LuaScripts.FENCE;
import static io.github.redislock.redis.LuaScripts.LOCK;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * One server stores the fencing token that a quorum has agreed on.
 */
@ExtendWith(RedisServerExtension.class)
@Tag("promise-quorum")
class LuaRaiseTests {

	private static final long MINUTES = Duration.ofMinutes(5).toNanos() / 1_000;

	private final LuaScripts lua = new LuaScripts();

	@Test
	void raisedTokenIsReturnedForARepeatedRequest() {
		long seen = this.lua.granted("me", "r1");

		assertThat(raise("me", "r1", "r1", seen + 7, seen)).isEqualTo(1);

		assertThat(this.lua.get(FENCE)).isEqualTo((seen + 7) + " 1 0 r1 - me");
		assertThat(this.lua.acquire("me", "r1")).as("requested again").isEqualTo(List.of(1L, seen + 7));
	}

	@ParameterizedTest
	@ValueSource(strings = { "me", "pod-1/r1" })
	void tokenFromAServerWithAFastClockOutlivesTheLock(String owner) {
		long seen = this.lua.granted(owner, "r1");
		long ahead = seen + MINUTES;

		raise(owner, "r1", "r1", ahead, seen);

		assertThat(this.lua.grant()).isEqualTo(ahead + " 1 r1 - " + owner);
		assertThat(this.lua.timeToLive(FENCE)).as("until the clock has passed the token")
			.isBetween(MINUTES / 1_000, MINUTES / 1_000 + 62_000);
		this.lua.release(owner, "r1");
		assertThat(this.lua.granted("you", "r2")).isEqualTo(ahead + 1);
	}

	@Test
	void nextTokenIsAboveTheReservedBlock() {
		long seen = (Long) this.lua.acquire(new Asker("me", "r1").tokens(33)).get(1);

		raise("me", "r1", "r1", seen + MINUTES, seen);
		this.lua.release("me", "r1");

		assertThat(this.lua.granted("you", "r2")).isEqualTo(seen + MINUTES + 33);
	}

	@Test
	void tokenThatNoCallerHasSeenMayBeLowered() {
		long seen = this.lua.granted("me", "r1");

		assertThat(raise("me", "r1", "r1", seen - 3, seen)).isEqualTo(1);

		assertThat(this.lua.token()).isEqualTo(seen - 3);
	}

	@Test
	void raiseDoesNotChangeTheTokenOfALaterGrant() {
		long seen = this.lua.granted("me", "r1");
		this.lua.release("me", "r1");
		long later = this.lua.granted("me", "r2");

		assertThat(raise("me", "r1", "r1", seen + 1, seen)).isEqualTo(1);

		assertThat(this.lua.get(FENCE)).isEqualTo(later + " 1 0 r2 r1 me");
	}

	@Test
	void raiseLeavesTheLockOfAnotherOwnerUnchanged() {
		long seen = this.lua.granted("me", "r1");
		this.lua.release("me", "r1");
		this.lua.granted("you", "r2");
		List<String> before = this.lua.state();

		assertThat(raise("me", "r1", "r1", seen + MINUTES, seen)).isZero();

		assertThat(this.lua.state()).isEqualTo(before);
	}

	@Test
	void raiseDoesNotAffectAFreeLockOrAKeyOfAnotherType() {
		assertThat(raise("me", "r1", "r1", 1, 1)).isZero();
		assertThat(this.lua.keys()).isEmpty();

		this.lua.redis.opsForList().leftPush(LOCK, "no lock");

		assertThat(raise("me", "r1", "r1", 1, 1)).isZero();
		assertThat(this.lua.keys()).containsExactly(LOCK);
	}

	@Test
	void lateWithdrawalOfAnEarlierRequestDoesNotRevokeTheGrant() {
		long seen = this.lua.granted("me", "r1");
		assertThat(this.lua.granted("me", "r1.1")).as("the same owner").isEqualTo(seen);

		raise("me", "r1", "r1.1", seen, seen);
		this.lua.withdraw("me", "r1");

		assertThat(this.lua.get(LOCK)).isEqualTo("me");
		assertThat(this.lua.withdraw("me", "r1.1")).isEqualTo(1);
		assertThat(this.lua.get(LOCK)).isNull();
	}

	@Test
	void raiseForAnotherRequestOfTheOwnerDoesNotTakeOverTheGrant() {
		long seen = this.lua.granted("job-17", "r1");

		raise("job-17", "r10", "r10", seen, seen);

		assertThat(this.lua.withdraw("job-17", "r10")).isZero();
		assertThat(this.lua.get(LOCK)).isEqualTo("job-17");
	}

	@Test
	void raiseRestoresALostFence() {
		long seen = this.lua.granted("me", "r1");
		this.lua.redis.delete(FENCE);

		assertThat(raise("me", "r1", "r1", seen + MINUTES, seen)).isEqualTo(1);

		assertThat(this.lua.get(FENCE)).isEqualTo((seen + MINUTES) + " 1 0 r1 - me");
	}

	@Test
	void fenceOfALockWithoutExpiryDoesNotExpire() {
		long seen = (Long) this.lua.acquire(new Asker("me", "r1").timeToLive(0)).get(1);

		raise("me", "r1", "r1", seen + MINUTES, seen);

		assertThat(this.lua.timeToLive(FENCE)).isEqualTo(-1);
		assertThat(this.lua.token()).isEqualTo(seen + MINUTES);
	}

	@Test
	void fenceRaisedInTheLastMillisecondOfALeaseExpires() {
		for (int times = 0; times < 50; times++) {
			long seen = (Long) this.lua.acquire(new Asker("me", "r1").timeToLive(5)).get(1);

			long raised = 1;
			while (raised == 1) {
				raised = raise("me", "r1", "r1", seen, seen);
			}

			assertThat(this.lua.timeToLive(FENCE)).isNotEqualTo(-1);
		}
	}

	@Test
	void severalLocksAreRaisedTogetherOrNotAtAll() {
		LuaSeveralScripts several = new LuaSeveralScripts();
		long seen = (Long) several.acquire("ab", new Asker("me", "r1")).get(1);
		String before = several.fence("a");

		several.redis.delete(LuaSeveralScripts.lock("b"));
		assertThat(raiseAll("me", "r1", seen + MINUTES, seen)).isZero();
		assertThat(several.fence("a")).isEqualTo(before);

		several.acquire("ab", new Asker("me", "r1"));
		assertThat(raiseAll("me", "r1", seen + MINUTES, seen)).isEqualTo(1);
		assertThat(several.fence("a")).startsWith((seen + MINUTES) + " 1 ");
		assertThat(several.fence("b")).startsWith((seen + MINUTES) + " 1 ");
	}

	@Test
	void raisedTokenIsPartOfTheValueOfALockThatNeedsNoFence() {
		long seen = this.lua.taken("pod-1/r1");
		String taken = String.valueOf(this.lua.get(LOCK));

		assertThat(raise("pod-1/r1", "r1", "r1", seen + 7, seen)).isEqualTo(1);

		assertThat(this.lua.get(LOCK)).isEqualTo("pod-1/r1\t33\t" + (seen + 7) + "\t-");
		assertThat(this.lua.keys()).containsExactly(LOCK);
		assertThat(this.lua.free(taken)).as("must release it with the raised token").isZero();
		assertThat(this.lua.acquire("pod-1/r1", "r1")).containsExactly(1L, seen + 7);
	}

	@Test
	void grantOfALaterAttemptIsRecordedInTheFence() {
		long seen = this.lua.granted("pod-1/r1", "r1");

		raise("pod-1/r1", "r1", "r1.1", seen + 7, seen);

		assertThat(this.lua.get(LOCK)).isEqualTo("pod-1/r1");
		assertThat(this.lua.grant()).isEqualTo((seen + 7) + " 1 r1.1 - pod-1/r1");
		assertThat(this.lua.withdraw("pod-1/r1", "r1")).as("an earlier attempt").isZero();
		assertThat(this.lua.withdraw("pod-1/r1", "r1.1")).isEqualTo(1);
	}

	private static long raise(String owner, String request, String attempt, long token, long seen) {
		return (Long) LuaScripts.run(RaiseScriptTests.RAISE, List.of(LOCK, FENCE), owner, request, attempt, token, seen,
				1);
	}

	/**
	 * Raise the tokens of the locks a and b.
	 */
	private static long raiseAll(String owner, String request, long token, long seen) {
		List<String> keys = Stream.of("a", "b")
			.flatMap((name) -> Stream.of(LuaSeveralScripts.lock(name), LuaSeveralScripts.beside(name, "fence")))
			.toList();
		return (Long) LuaScripts.run(RaiseScriptTests.RAISE, keys, owner, request, request, token, seen, 1);
	}

}
