package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.github.redislock.FencingTokens;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Every script by itself, against a real Redis.
 */
@ExtendWith(RedisServerExtension.class)
class LuaScriptTests {

	private static final String LOCK = "distributed_lock:order:42";

	private static final String FENCE = "{distributed_lock:order:42}:fence";

	private static final String CANCEL = "{distributed_lock:order:42}:cancel:";

	private final StringRedisTemplate redis = new StringRedisTemplate(TestRedis.shared().connectionFactory());

	// acquire

	@Test
	void acquireGrantsAFreeLock() {
		List<?> answer = acquire("me", "r1", 60_000, 62_000);

		assertThat(answer).hasSize(2).first().isEqualTo(1L);
		assertThat(get(LOCK)).isEqualTo("me");
		assertThat(timeToLive(LOCK)).isBetween(50_000L, 60_000L);
		assertThat(get(FENCE)).isEqualTo(answer.get(1) + " r1 me");
		assertThat(timeToLive(FENCE)).isBetween(60_001L, 62_000L);
		assertThat(keys()).containsExactlyInAnyOrder(LOCK, FENCE);
	}

	@Test
	void acquireGivesTheServersClockAsToken() {
		Instant before = Instant.now().minusSeconds(5);

		long token = (Long) acquire("me", "r1", 60_000, 62_000).get(1);

		assertThat(FencingTokens.instant(token)).isBetween(before, Instant.now().plusSeconds(5));
	}

	@Test
	void acquireGivesATokenAboveTheLastEvenWhenTheClockWentBack() {
		long ahead = FencingTokens.next(Instant.now().plusSeconds(3_600), 0);
		this.redis.opsForValue().set(FENCE, ahead + " r0 other", Duration.ofMinutes(1));

		assertThat(acquire("me", "r1", 60_000, 62_000)).isEqualTo(List.of(1L, ahead + 1));
	}

	@Test
	void acquireKeepsEveryDigitOfAToken() {
		long last = (1L << 53) - 2;
		this.redis.opsForValue().set(FENCE, last + " r0 other", Duration.ofMinutes(1));

		assertThat(acquire("me", "r1", 60_000, 62_000)).isEqualTo(List.of(1L, last + 1));
		assertThat(get(FENCE)).isEqualTo((last + 1) + " r1 me");
	}

	@Test
	void acquireAskedTwiceAnswersTwiceTheSame() {
		List<?> first = acquire("me", "r1", 60_000, 62_000);

		assertThat(acquire("me", "r1", 60_000, 62_000)).isEqualTo(first);
		assertThat(acquire("me", "r2", 60_000, 62_000)).as("another request of this owner").isEqualTo(first);
		assertThat(get(FENCE)).endsWith(" r1 me");
	}

	@Test
	void acquireByTheHolderProlongsAndNeverShortens() {
		acquire("me", "r1", 60_000, 62_000);

		acquire("me", "r1", 100_000, 102_000);
		assertThat(timeToLive(LOCK)).isBetween(90_000L, 100_000L);
		assertThat(timeToLive(FENCE)).isBetween(100_001L, 102_000L);

		acquire("me", "r1", 10_000, 12_000);
		assertThat(timeToLive(LOCK)).isBetween(90_000L, 100_000L);
		assertThat(timeToLive(FENCE)).as("outlives the lock").isBetween(100_001L, 102_000L);
	}

	@Test
	void acquireTellsTheHolder() {
		Object token = acquire("me", "r1", 60_000, 62_000).get(1);
		List<String> before = state();

		List<?> answer = acquire("you", "r2", 60_000, 62_000);

		assertThat(answer).hasSize(4);
		assertThat(answer.get(0)).isEqualTo(0L);
		assertThat(text(answer.get(1))).isEqualTo("me");
		assertThat((Long) answer.get(2)).isBetween(50_000L, 60_000L);
		assertThat(answer.get(3)).isEqualTo(token);
		assertThat(state()).isEqualTo(before);
	}

	@Test
	void acquireTellsAForeignHolderWithoutAToken() {
		acquire("me", "r1", 60_000, 62_000);
		this.redis.opsForValue().set(LOCK, "3f2a77");

		List<?> answer = acquire("you", "r2", 60_000, 62_000);

		assertThat(text(answer.get(1))).isEqualTo("3f2a77");
		assertThat(answer.subList(2, 4)).isEqualTo(List.of(-1L, 0L));
	}

	@Test
	void acquireOfAWithdrawnRequestDoesNothing() {
		withdraw("me", "r1", 60_000);

		assertThat(acquire("me", "r1", 60_000, 62_000)).isEqualTo(List.of(2L));

		assertThat(keys()).containsExactly(CANCEL + "r1");
		assertThat(acquire("me", "r2", 60_000, 62_000)).first().isEqualTo(1L);
	}

	@Test
	void acquireWithoutEndLeavesTheLockWithoutExpiry() {
		acquire("me", "r1", 0, 62_000);

		assertThat(timeToLive(LOCK)).isEqualTo(-1);
		assertThat(timeToLive(FENCE)).isBetween(60_001L, 62_000L);
	}

	@Test
	void acquireByTheHolderTurnsALeaseIntoAnEndlessLockAndBack() {
		acquire("me", "r1", 60_000, 62_000);

		acquire("me", "r1", 0, 62_000);
		assertThat(timeToLive(LOCK)).isEqualTo(-1);

		acquire("me", "r1", 30_000, 32_000);
		assertThat(timeToLive(LOCK)).isBetween(20_000L, 30_000L);
	}

	@Test
	void acquireByTheHolderWritesALostFenceAnew() {
		long first = (Long) acquire("me", "r1", 60_000, 62_000).get(1);
		this.redis.delete(FENCE);

		long second = (Long) acquire("me", "r2", 60_000, 62_000).get(1);

		assertThat(second).isGreaterThan(first);
		assertThat(get(FENCE)).isEqualTo(second + " r2 me");
	}

	@Test
	void acquireReadsPastAFenceThatSomebodyHasSpoilt() {
		this.redis.opsForValue().set(FENCE, "spoilt");

		assertThat(acquire("me", "r1", 60_000, 62_000)).first().isEqualTo(1L);

		assertThat(get(FENCE)).endsWith(" r1 me");
		assertThat(timeToLive(FENCE)).isPositive();
	}

	@Test
	void acquireTakesOwnersWithBlanks() {
		Object token = acquire("my job/17 b", "r1", 60_000, 62_000).get(1);

		assertThat(acquire("my job/17 b", "r1", 60_000, 62_000)).isEqualTo(List.of(1L, token));
		assertThat(release("my job/17 b", 0)).isEqualTo(1);
		assertThat(release("my job/17 b", 0)).isEqualTo(1);
		assertThat(release("b", 0)).isZero();
	}

	// release

	@Test
	void releaseFreesTheLockAndRemembersItsHolder() {
		acquire("me", "r1", 60_000, 62_000);

		assertThat(release("me", 0)).isEqualTo(1);

		assertThat(keys()).containsExactly(FENCE);
		assertThat(timeToLive(FENCE)).isPositive();
		assertThat(release("me", 0)).as("asked twice").isEqualTo(1);
	}

	@Test
	void releaseOfALockOfAnotherDoesNothing() {
		acquire("me", "r1", 60_000, 62_000);
		List<String> before = state();

		assertThat(release("you", 0)).isZero();
		assertThat(release("you", 5_000)).isZero();

		assertThat(state()).isEqualTo(before);
	}

	@Test
	void releaseAfterAnotherHadTheLockIsRefused() {
		acquire("me", "r1", 60_000, 62_000);
		release("me", 0);
		acquire("you", "r2", 60_000, 62_000);
		release("you", 0);

		assertThat(release("me", 0)).isZero();
	}

	@Test
	void releaseOfAFreeLockIsRefused() {
		assertThat(release("me", 0)).isZero();
		assertThat(keys()).isEmpty();
	}

	@Test
	void releaseCanKeepTheLockClosed() {
		acquire("me", "r1", 60_000, 62_000);

		assertThat(release("me", 5_000)).isEqualTo(1);

		assertThat(get(LOCK)).isEqualTo("me");
		assertThat(timeToLive(LOCK)).isBetween(1L, 5_000L);
	}

	@Test
	void releaseThatKeepsAnEndlessLockClosedGivesItAnEnd() {
		acquire("me", "r1", 0, 62_000);

		release("me", 5_000);

		assertThat(timeToLive(LOCK)).isBetween(1L, 5_000L);
	}

	// renew

	@Test
	void renewSetsALongerAndAShorterLife() {
		acquire("me", "r1", 60_000, 62_000);

		assertThat(renew("me", 100_000, 102_000)).isEqualTo(1);
		assertThat(timeToLive(LOCK)).isBetween(90_000L, 100_000L);
		assertThat(timeToLive(FENCE)).isBetween(100_001L, 102_000L);

		assertThat(renew("me", 5_000, 7_000)).isEqualTo(1);
		assertThat(timeToLive(LOCK)).isBetween(1L, 5_000L);
		assertThat(timeToLive(FENCE)).isBetween(5_001L, 7_000L);
	}

	@Test
	void renewOfALockThatIsNotOursDoesNothing() {
		assertThat(renew("me", 60_000, 62_000)).isZero();
		assertThat(keys()).isEmpty();
		acquire("you", "r1", 60_000, 62_000);
		List<String> before = state();

		assertThat(renew("me", 100_000, 102_000)).isZero();

		assertThat(state()).isEqualTo(before);
	}

	// withdraw

	@Test
	void withdrawTakesBackAGrantAndRefusesTheRequestFromThenOn() {
		acquire("me", "r1", 60_000, 62_000);

		assertThat(withdraw("me", "r1", 5_000)).isEqualTo(1);
		assertThat(withdraw("me", "r1", 5_000)).isZero();

		assertThat(keys()).containsExactlyInAnyOrder(FENCE, CANCEL + "r1");
		assertThat(timeToLive(CANCEL + "r1")).isBetween(1L, 5_000L);
	}

	@Test
	void withdrawBeforeTheGrantLeavesAMarkOnly() {
		assertThat(withdraw("me", "r1", 5_000)).isZero();

		assertThat(keys()).containsExactly(CANCEL + "r1");
	}

	@Test
	void withdrawLeavesTheHoldsOfOthersAlone() {
		acquire("me", "r1", 60_000, 62_000);

		assertThat(withdraw("you", "r2", 5_000)).isZero();
		assertThat(withdraw("me", "r3", 5_000)).as("another request of the same owner").isZero();

		assertThat(get(LOCK)).isEqualTo("me");
		assertThat(get(FENCE)).endsWith(" r1 me");
	}

	// inspect

	@Test
	void inspectTellsTheHolder() {
		assertThat((List<?>) run(LockScript.INSPECT, List.of(LOCK, FENCE))).isEmpty();
		Object token = acquire("me", "r1", 60_000, 62_000).get(1);
		List<String> before = state();

		List<?> answer = (List<?>) run(LockScript.INSPECT, List.of(LOCK, FENCE));

		assertThat(text(answer.get(0))).isEqualTo("me");
		assertThat((Long) answer.get(1)).isBetween(50_000L, 60_000L);
		assertThat(answer.get(2)).isEqualTo(token);
		assertThat(state()).isEqualTo(before);
	}

	@Test
	void inspectTellsAForeignHolderWithoutAToken() {
		acquire("me", "r1", 60_000, 62_000);
		this.redis.opsForValue().set(LOCK, "3f2a77");

		List<?> answer = (List<?>) run(LockScript.INSPECT, List.of(LOCK, FENCE));

		assertThat(text(answer.get(0))).isEqualTo("3f2a77");
		assertThat(answer.subList(1, 3)).isEqualTo(List.of(-1L, 0L));
	}

	// force release

	@Test
	void forceReleaseFreesTheLockAndForgetsItsHolderButNotItsToken() {
		Object token = acquire("me", "r1", 60_000, 62_000).get(1);

		assertThat(run(LockScript.FORCE_RELEASE, List.of(LOCK, FENCE))).isEqualTo(1L);

		assertThat(keys()).containsExactly(FENCE);
		assertThat(get(FENCE)).isEqualTo(token + " - -");
		assertThat(timeToLive(FENCE)).isBetween(60_001L, 62_000L);
		assertThat(release("me", 0)).isZero();
		assertThat(run(LockScript.FORCE_RELEASE, List.of(LOCK, FENCE))).isEqualTo(0L);
	}

	@Test
	void forceReleaseFreesAForeignLock() {
		this.redis.opsForValue().set(LOCK, "3f2a77");

		assertThat(run(LockScript.FORCE_RELEASE, List.of(LOCK, FENCE))).isEqualTo(1L);

		assertThat(keys()).isEmpty();
	}

	// all

	@Test
	void keyOfAnotherTypeIsNeverTouched() {
		this.redis.opsForHash().put(LOCK, "field", "value");

		refusedForItsType(() -> acquire("me", "r1", 60_000, 62_000));
		refusedForItsType(() -> acquire("me", "r1", 0, 62_000));
		refusedForItsType(() -> release("me", 0));
		refusedForItsType(() -> release("me", 5_000));
		refusedForItsType(() -> renew("me", 60_000, 62_000));
		refusedForItsType(() -> withdraw("me", "r1", 5_000));
		refusedForItsType(() -> run(LockScript.INSPECT, List.of(LOCK, FENCE)));
		refusedForItsType(() -> run(LockScript.FORCE_RELEASE, List.of(LOCK, FENCE)));

		assertThat(keys()).containsExactly(LOCK);
		assertThat(this.redis.opsForHash().entries(LOCK)).hasSize(1);
		assertThat(timeToLive(LOCK)).isEqualTo(-1);
	}

	@Test
	void nothingButAnEndlessLockStaysForEver() {
		Random random = new Random(42);
		for (int i = 0; i < 1_000; i++) {
			String owner = "owner-" + random.nextInt(3);
			String request = "r" + random.nextInt(6);
			boolean endless = random.nextInt(4) == 0;
			switch (random.nextInt(6)) {
				case 0, 1 -> acquire(owner, request, endless ? 0 : 60_000, 62_000);
				case 2 -> release(owner, random.nextBoolean() ? 0 : 5_000);
				case 3 -> renew(owner, 60_000, 62_000);
				case 4 -> withdraw(owner, request, 5_000);
				default -> run(LockScript.FORCE_RELEASE, List.of(LOCK, FENCE));
			}
			assertThat(keys().stream().filter((key) -> !key.equals(LOCK)))
				.allSatisfy((key) -> assertThat(timeToLive(key)).isPositive());
		}
	}

	private List<?> acquire(String owner, String request, long timeToLive, long fenceTimeToLive) {
		return (List<?>) run(LockScript.ACQUIRE, List.of(LOCK, FENCE, CANCEL + request), owner, request, timeToLive,
				fenceTimeToLive);
	}

	private long release(String owner, long keep) {
		return (Long) run(LockScript.RELEASE, List.of(LOCK, FENCE), owner, keep);
	}

	private long renew(String owner, long timeToLive, long fenceTimeToLive) {
		return (Long) run(LockScript.RENEW, List.of(LOCK, FENCE), owner, timeToLive, fenceTimeToLive);
	}

	private long withdraw(String owner, String request, long memory) {
		return (Long) run(LockScript.WITHDRAW, List.of(LOCK, FENCE, CANCEL + request), owner, request, memory);
	}

	private Object run(LockScript script, List<String> keys, Object... arguments) {
		byte[][] all = Stream.concat(keys.stream(), Stream.of(arguments))
			.map((value) -> value.toString().getBytes(StandardCharsets.UTF_8))
			.toArray(byte[][]::new);
		try (RedisConnection connection = TestRedis.shared().connectionFactory().getConnection()) {
			return connection.scriptingCommands()
				.eval(script.bytes(), script.returnsList() ? ReturnType.MULTI : ReturnType.INTEGER, keys.size(), all);
		}
	}

	private static void refusedForItsType(Runnable attempt) {
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(attempt::run)
			.satisfies((failure) -> assertThat(
					RedisErrors.translate("test", LockTarget.of("order:42"), Duration.ofSeconds(1), failure)
						.getMessage())
				.contains("something that is not a lock"));
	}

	private @Nullable String get(String key) {
		return this.redis.opsForValue().get(key);
	}

	private long timeToLive(String key) {
		try (RedisConnection connection = TestRedis.shared().connectionFactory().getConnection()) {
			return connection.keyCommands().pTtl(key.getBytes(StandardCharsets.UTF_8));
		}
	}

	private List<String> keys() {
		return new ArrayList<>(this.redis.keys("*"));
	}

	/**
	 * Return all keys, their values, and roughly how long they live: in steps whose
	 * borders are no life that a test gives.
	 */
	private List<String> state() {
		return keys().stream()
			.sorted()
			.map((key) -> key + "=" + get(key) + " for " + (timeToLive(key) + 17_321) / 47_777)
			.toList();
	}

	private static String text(Object bytes) {
		return new String((byte[]) bytes, StandardCharsets.UTF_8);
	}

}
