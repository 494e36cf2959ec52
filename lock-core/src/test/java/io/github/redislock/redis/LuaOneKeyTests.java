package io.github.redislock.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.redislock.internal.client.Script;
import io.github.redislock.internal.client.Script.Priority;
import io.github.redislock.internal.client.Script.Reply;
import io.github.redislock.redis.LuaScripts.Asker;
import io.github.redislock.testing.FencingTokens;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.redislock.redis.LuaScripts.CANCEL;
import static io.github.redislock.redis.LuaScripts.FENCE;
import static io.github.redislock.redis.LuaScripts.LOCK;
import static io.github.redislock.redis.LuaScripts.QUEUE;
import static io.github.redislock.redis.LuaSeveralScripts.lock;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * A lock that no other request wants is one key. The first script that needs more adds a
 * fence. Tested with a real Redis.
 */
@ExtendWith(RedisServerExtension.class)
@Tag("promise-3")
class LuaOneKeyTests {

	/** Has a blank and a slash, as any owner token may have. */
	private static final String ME = "my pod/1/r1";

	private static final long NOT_TAKEN = 0;

	private final LuaScripts lua = new LuaScripts();

	private final LuaSeveralScripts several = new LuaSeveralScripts();

	// acquiring

	@Test
	void freeLockUsesOneKeyAndTheServerClockAsFencingToken() {
		Instant before = Instant.now().minusSeconds(5);

		long token = this.lua.taken(ME);

		assertThat(FencingTokens.instant(token)).isBetween(before, Instant.now().plusSeconds(5));
		assertThat(this.lua.get(LOCK)).isEqualTo(ME + "\t33\t" + token);
		assertThat(this.lua.timeToLive(LOCK)).isBetween(50_000L, 60_000L);
		assertThat(this.lua.keys()).containsExactly(LOCK);
	}

	@Test
	void refusalReportsTheHolderAndChangesNothing() {
		long token = this.lua.taken(ME);
		List<String> before = this.lua.state();

		String[] reply = this.lua.take("pod-2/r2").toString().split("\t");

		assertThat(reply).hasSize(4).startsWith(ME, "33", Long.toString(token));
		assertThat(Long.parseLong(reply[3])).isBetween(50_000L, 60_000L);
		assertThat(this.lua.state()).isEqualTo(before);
	}

	@Test
	void otherValuesOfTheKeyAreLeftToTheFullScripts() {
		this.lua.redis.opsForValue().set(LOCK, "3f2a77", Duration.ofMinutes(1));
		refused("of another program");

		this.lua.redis.opsForValue().set(LOCK, "somebody's data");
		refused("without expiry");

		this.lua.redis.opsForValue().set(LOCK, "shared\t2\t" + ME, Duration.ofMinutes(1));
		refused("shared");

		this.lua.redis.delete(LOCK);
		this.lua.redis.opsForHash().put(LOCK, "field", "value");
		refused("of another type");

		this.lua.redis.delete(LOCK);
		this.lua.acquire("me", "r1");
		refused("with a fence");
	}

	@Test
	void numbersThatAreNotOursMakeTheValueAnotherPrograms() {
		for (String value : List.of(ME + "\t33\t99999999999999999999", ME + "\t1234567890\t7", "shared\tx",
				"shared\t1234567890\t" + ME)) {
			this.lua.redis.opsForValue().set(LOCK, value, Duration.ofMinutes(1));

			assertThat(this.lua.acquire(ME, "r1")).as(value).startsWith(0L, value).element(3).isEqualTo(0L);
			assertThat(this.lua.share(new Asker(ME, "r1"), 3)).as(value).startsWith(0L, value);
			assertThat(this.lua.get(LOCK)).isEqualTo(value);

			this.lua.redis.persist(LOCK);
			assertThat(this.lua.acquire(ME, "r1")).as(value).containsExactly(3L);
			assertThat(this.lua.share(new Asker(ME, "r1"), 3)).as(value).containsExactly(3L);
			assertThat(this.lua.get(LOCK)).isEqualTo(value);
		}
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void fenceThatMustBeKeptIsLeftToTheFullScripts(String reason, String fence) {
		this.lua.redis.opsForValue().set(FENCE, fence, Duration.ofMinutes(2));

		refused(reason);
	}

	static Stream<Arguments> fenceThatMustBeKeptIsLeftToTheFullScripts() {
		long past = FencingTokens.next(Instant.now().minusSeconds(60), 0);
		long ahead = FencingTokens.next(Instant.now().plusSeconds(60), 0);
		long later = System.currentTimeMillis() + 60_000;
		return Stream.of(arguments("kept for a queue", "0 0 " + later + " - - "),
				arguments("ahead of the clock", ahead + " 1 0 r0 - other"),
				arguments("reserved ahead of the clock",
						past + " " + Duration.ofHours(1).toNanos() / 1_000 + " 0 r0 - other"),
				arguments("of version 1", past + " 33 tjKnDQnnT0Kp3mNLnNIAQA - other"),
				arguments("no fence", "spoilt"));
	}

	@Test
	void fenceOfAnotherTypeIsLeftToTheFullScripts() {
		this.lua.redis.opsForHash().put(FENCE, "field", "value");

		refused("of another type");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void fenceOfAReleasedOrExpiredLockIsTakenOver(boolean released) {
		long last = (Long) this.lua.acquire(new Asker("me", "r1").tokens(33)).get(1);
		if (released) {
			this.lua.release("me", "r1");
		}
		this.lua.expire();

		assertThat(this.lua.taken("pod-2/r2")).isGreaterThan(last + 32);

		assertThat(this.lua.keys()).containsExactly(LOCK);
		assertThat(this.lua.release("me", "r1")).as("another has it").isZero();
	}

	// a key that has lost its expiry

	@Test
	void lockThatHasLostItsExpiryStaysItsOwnersUntilThatRenewsIt() {
		long token = this.lua.taken(ME);
		this.lua.redis.persist(LOCK);

		assertThat(this.lua.acquire("pod-2/r2", "r2")).startsWith(0L, ME, -1L, token);
		assertThat(this.lua.acquire(new Asker("pod-3/r3", "r3").waitingAt("-"))).startsWith(0L, ME, -1L, token);
		assertThat(this.lua.share(new Asker("pod-4/r4", "r4"), 3)).startsWith(0L, ME, -1L, token);
		assertThat(this.lua.inspect()).startsWith(ME, -1L, token);
		assertThat(this.lua.get(LOCK)).isEqualTo(ME);

		assertThat(this.lua.renew(ME, 60_000)).isEqualTo(1);
		assertThat(this.lua.timeToLive(LOCK)).isBetween(50_000L, 60_000L);
		assertThat(this.lua.timeToLive(FENCE)).isBetween(50_000L, 70_000L);
		assertThat(this.lua.release(ME, "r1")).isEqualTo(1);
		assertThat(this.lua.holder()).isEqualTo("pod-3/r3");
	}

	@Test
	void everyScriptKeepsALockThatHasLostItsExpiry() {
		List<Runnable> questions = List.of(() -> this.lua.acquire("pod-2/r2", "r2"),
				() -> this.lua.yield("pod-2/r1", "r1", new Asker("pod-2/r2", "r2")),
				() -> this.lua.release("pod-2/r2", "r2"), () -> this.lua.releaseShared("pod-2/r2", "r2"),
				() -> this.lua.withdraw("pod-2/r2", "r2"), () -> this.lua.withdrawShared("pod-2/r2", "r2"),
				() -> this.lua.renew("pod-2/r2", 1_000), () -> this.lua.renewShared("pod-2/r2", 1_000),
				() -> this.lua.forceRelease("pod-2/r2"), () -> this.lua.take("pod-2/r2"),
				() -> this.lua.share(new Asker("pod-2/r2", "r2"), 3), this.lua::inspect);
		for (Runnable question : questions) {
			this.lua.redis.delete(this.lua.keys());
			this.lua.taken(ME);
			this.lua.keys().forEach(this.lua.redis::persist);

			question.run();

			assertThat(this.lua.get(LOCK)).startsWith(ME);
			assertThat(this.lua.release(ME, "r1")).isEqualTo(1);
		}
	}

	@Test
	void requestForSeveralLocksKeepsALockThatHasLostItsExpiry() {
		take("b");
		this.several.redis.persist(lock("b"));

		assertThat(this.several.acquire("ab", new Asker("you", "r2"))).startsWith(0L, "pod-1/b", -1L);

		assertThat(this.several.owners("ab").get(1)).startsWith("pod-1/b\t33\t");
	}

	@Test
	void lockThatHasLostItsExpiryCanBeTakenByForce() {
		this.lua.taken(ME);
		this.lua.redis.persist(LOCK);
		assertThat(this.lua.forceRelease()).isEqualTo(1);
		assertThat(this.lua.get(LOCK)).isNull();

		this.lua.taken(ME);
		this.lua.redis.persist(LOCK);
		this.lua.withFullMemory(() -> assertThat(this.lua.acquire("pod-2/r2", "r2")).startsWith(0L, ME, -1L));
	}

	private void refused(String reason) {
		List<String> before = this.lua.state();

		assertThat(this.lua.take(ME)).as(reason).isEqualTo(NOT_TAKEN);

		assertThat(this.lua.state()).as(reason).isEqualTo(before);
	}

	// releasing

	@Test
	void onlyTheExactGrantIsReleased() {
		long token = this.lua.taken(ME);

		assertThat(this.lua.free(ME)).isZero();
		assertThat(this.lua.free("my pod/1/r2\t33\t" + token)).isZero();
		assertThat(this.lua.free(ME + "\t33\t" + (token - 1))).isZero();
		assertThat(this.lua.keys()).containsExactly(LOCK);

		assertThat(this.lua.free(value(token))).isEqualTo(1);
		assertThat(this.lua.keys()).isEmpty();
		assertThat(this.lua.free(value(token))).isZero();

		this.lua.redis.opsForHash().put(LOCK, "field", "value");
		assertThat(this.lua.free(value(token))).as("another type").isZero();
		assertThat(this.lua.keys()).containsExactly(LOCK);
	}

	@Test
	void onlyLockOfSeveralThatIsStillOursIsFreed() {
		long token = this.lua.taken(ME);

		List<Object> freed = LuaScripts.list(LockScript.FREE, List.of(lock("a"), LOCK), "pod-1/a\t33\t1", value(token));

		assertThat(freed).containsExactly(0L, 1L);
		assertThat(this.lua.get(LOCK)).isNull();
	}

	/**
	 * The script free does not check the clock, so the client sends a release instead
	 * after it has held the lock for a while.
	 */
	@Test
	void releaseRemembersAFencingTokenAheadOfTheClock() {
		long ahead = FencingTokens.next(Instant.now().plusSeconds(60), 0);
		this.lua.redis.opsForValue().set(LOCK, value(ahead), Duration.ofMinutes(1));

		assertThat(this.lua.release(ME, "r1")).isEqualTo(1);

		refused("the clock has not passed the token");
		assertThat(this.lua.granted("you", "r2")).isGreaterThan(ahead + 32);
	}

	// many at once

	@Test
	void repliesAreInRequestOrderAndOneBadKeyDoesNotAffectOthers() {
		this.several.redis.opsForHash().put(lock("b"), "field", "value");
		this.several.redis.opsForHash().put(fence("d"), "field", "value");
		take("e");

		List<Object> taken = take("a", "b", "c", "d", "e", "f");

		long token = (Long) taken.get(0);
		assertThat(token).isPositive();
		assertThat(taken.subList(0, 4)).containsExactly(token, NOT_TAKEN, token, NOT_TAKEN);
		assertThat(taken.get(4).toString()).startsWith("pod-1/e\t33\t");
		assertThat(taken.get(5)).isEqualTo(token);
		assertThat(this.several.owners("acf")).containsExactly("pod-1/a\t33\t" + token, "pod-1/c\t33\t" + token,
				"pod-1/f\t33\t" + token);

		List<Object> freed = LuaScripts.list(LockScript.FREE,
				List.of(lock("a"), lock("b"), lock("c"), lock("d"), lock("f")), "pod-1/a\t33\t" + token,
				"pod-1/b\t33\t1", "pod-1/c\t33\t" + (token - 1), "pod-1/d\t33\t1", "pod-1/f\t33\t" + token);

		assertThat(freed).containsExactly(1L, 0L, 0L, 0L, 1L);
		assertThat(this.several.owners("acf")).containsExactly("-", "pod-1/c\t33\t" + token, "-");
	}

	@Test
	void onlyLocksWithAFenceThatIsStillNeededAreLeftToTheFullScripts() {
		this.several.acquire("a", new Asker("me", "r1"));
		this.several.release("a", "me", "r1");
		long later = System.currentTimeMillis() + 60_000;
		this.several.redis.opsForValue().set(fence("b"), "0 0 " + later + " - - ", Duration.ofMinutes(1));

		List<Object> taken = take("a", "b", "c");

		assertThat(taken.get(0)).as("a fence that is past").isEqualTo(taken.get(2)).isNotEqualTo(NOT_TAKEN);
		assertThat(taken.get(1)).isEqualTo(NOT_TAKEN);
		assertThat(take("b", "d").get(0)).as("only the first one has a fence").isEqualTo(NOT_TAKEN);
		assertThat(this.lua.keys()).containsExactlyInAnyOrder(lock("a"), fence("b"), lock("c"), lock("d"));
	}

	@Test
	void requestThatTakesALockTwiceGetsItOnce() {
		List<Object> taken = LuaScripts.list(LockScript.TAKE, List.of(LOCK, LOCK, FENCE, FENCE), ME + "\t33\t", 60_000,
				"pod-2/r2\t33\t", 60_000);

		assertThat(taken.get(1).toString()).startsWith(value((Long) taken.get(0)) + "\t");
	}

	@Test
	void locksAreFreedWhenRedisIsOutOfMemory() {
		long token = this.lua.taken(ME);
		List<Object> others = take("a", "b");

		this.lua.withFullMemory(() -> {
			assertThat(take("c")).containsExactly(NOT_TAKEN);
			assertThat(take("c", "d")).containsExactly(NOT_TAKEN, NOT_TAKEN);
			assertThat(this.lua.free(value(token))).isEqualTo(1);
			assertThat(LuaScripts.list(LockScript.FREE, List.of(lock("a"), lock("b")), "pod-1/a\t33\t" + others.get(0),
					"pod-1/b\t33\t" + others.get(1)))
				.containsExactly(1L, 1L);
		});

		assertThat(this.lua.keys()).isEmpty();
	}

	/**
	 * Take locks, each for another request.
	 */
	private static List<Object> take(String... names) {
		List<String> keys = new ArrayList<>(Stream.of(names).map(LuaSeveralScripts::lock).toList());
		keys.addAll(Stream.of(names).map(LuaOneKeyTests::fence).toList());
		return LuaScripts.list(LockScript.TAKE, keys,
				Stream.of(names).flatMap((name) -> Stream.of("pod-1/" + name + "\t33\t", 60_000)).toArray());
	}

	// beside instances with the former script for both

	@Test
	void formerScriptTakesAndFreesTheSameLocks() {
		Script former = Script.read(LuaOneKeyTests.class, "former-quick", Reply.LIST, Priority.AT_ONCE);
		List<Long> tokens = new ArrayList<>();
		for (int time = 0; time < 3; time++) {
			tokens.add(this.lua.taken(ME));
			assertThat(LuaScripts.list(former, List.of(LOCK, FENCE), "pod-2/r2\t33\t", 60_000, 1)).singleElement()
				.asString()
				.startsWith(value(last(tokens)) + "\t");
			assertThat(LuaScripts.list(former, List.of(LOCK), value(last(tokens)))).containsExactly(1L);

			tokens.add((Long) LuaScripts.list(former, List.of(LOCK, FENCE), ME + "\t33\t", 60_000, 1).get(0));
			assertThat(this.lua.take("pod-2/r2").toString()).startsWith(value(last(tokens)) + "\t");
			assertThat(this.lua.acquire(new Asker("you", "r3").waitingAt("-"))).startsWith(0L, ME);
			assertThat(LuaScripts.list(former, List.of(LOCK), value(last(tokens)))).as("another instance waits")
				.containsExactly(0L);
			assertThat(this.lua.free(value(last(tokens)))).as("another instance waits").isZero();
			assertThat(this.lua.release(ME, "r1")).isEqualTo(1);
			assertThat(this.lua.get(LOCK)).isEqualTo("you");
			tokens.add(this.lua.token());
			this.lua.forceRelease();
			this.lua.redis.delete(List.of(FENCE, QUEUE));
		}

		assertThat(tokens).isSorted().doesNotHaveDuplicates();
		assertThat(this.lua.keys()).isEmpty();
	}

	private static long last(List<Long> tokens) {
		return tokens.get(tokens.size() - 1);
	}

	// other scripts on such a lock

	@Test
	void waitingAcquireGivesTheLockAFenceThatLastsAsLongAsTheQueue() {
		long token = this.lua.taken(ME);

		List<Object> reply = this.lua.acquire(new Asker("you", "r2").waitingAt("-"));

		assertThat(reply.subList(0, 2)).containsExactly(0L, ME);
		assertThat((Long) reply.get(2)).isBetween(50_000L, 60_000L);
		assertThat(reply.subList(3, 5)).containsExactly(token, 1L);
		assertFull(token);
		assertThat(this.lua.queue()).containsExactly("r2");
		assertThat(this.lua.kept()).isGreaterThanOrEqualTo(this.lua.timeToLive(QUEUE));
	}

	@Test
	void waiterIsNotOvertakenWhenTheLockIsGone() {
		this.lua.taken(ME);
		this.lua.acquire(new Asker("you", "r2").waitingAt("-"));
		this.lua.expire();

		refused("queue");
		assertThat(this.lua.acquire("pod-2/r3", "r3")).startsWith(0L, "you");
	}

	@Test
	void acquireWaitsForATakenLockWhenRedisIsOutOfMemory() {
		long token = this.lua.taken(ME);

		this.lua.withFullMemory(() -> {
			assertThat(this.lua.renew(ME, 90_000)).isOne();
			assertThat(this.lua.acquire(new Asker("you", "r2").waitingAt("-"))).startsWith(0L, ME);
			assertThat(this.lua.renew(ME, 120_000)).as("with a fence").isOne();
			assertThat(this.lua.timeToLive(LOCK)).isGreaterThan(100_000);
			assertThat(this.lua.release(ME, "r1")).isEqualTo(1);
		});

		assertThat(this.lua.get(LOCK)).isEqualTo("you");
		assertThat(this.lua.token()).isGreaterThan(token);
	}

	@Test
	void requestForSeveralLocksWaitsForATakenLock() {
		long token = (Long) take("b").get(0);

		List<Object> reply = this.several.acquire("ab", new Asker("you", "r2").waitingAt("-").toldToAsk());

		assertThat(reply.subList(0, 2)).containsExactly(0L, "pod-1/b");
		assertThat(reply.subList(3, 6)).containsExactly(token, 1L, 2L);
		assertThat(this.several.owners("ab")).containsExactly("-", "pod-1/b");
		assertThat(this.several.fence("b")).matches(token + " 33 \\d+ b - pod-1/b");
		assertThat(this.several.release("b", "pod-1/b", "b")).isEqualTo(1);
		assertThat((Long) this.several.acquire("ab", new Asker("you", "r2").waitingAt("-").toldToAsk()).get(1))
			.isGreaterThan(token);
	}

	@Test
	void releaseOfSeveralLocksOrOfASharedLockFreesATakenLock() {
		take("a");
		this.lua.taken(ME);

		assertThat(this.several.release("ab", "pod-1/a", "a")).as("b is another's").isZero();
		assertThat(this.several.owners("ab")).containsExactly("-", "-");
		assertThat(this.lua.releaseShared(ME, "r1")).isEqualTo(1);
		assertThat(this.lua.get(LOCK)).isNull();
	}

	@Test
	void releaseWithMinimumTimeKeepsTheLock() {
		long token = this.lua.taken(ME);

		assertThat(this.lua.releaseAfter(20_000, ME, "r1")).isEqualTo(1);

		assertThat(this.lua.get(LOCK)).isEqualTo(value(token));
		assertThat(this.lua.timeToLive(LOCK)).isBetween(1L, 20_000L);
		assertThat(this.lua.timeToLive(FENCE)).isBetween(20_001L, 22_500L);
		this.lua.expire();
		assertThat(this.lua.release(ME, "r1")).as("sent twice").isEqualTo(1);
	}

	@Test
	void yieldGrantsTheLockAgainOrToTheNextWaiter() {
		long token = this.lua.taken(ME);

		List<Object> again = this.lua.yield(ME, "r1", new Asker("pod-1/r2", "r2").waitingAt("-"));
		assertThat(again.subList(0, 2)).containsExactly(1L, 1L);
		assertThat((Long) again.get(2)).isGreaterThan(token);

		TestRedis.shared().reset();
		this.lua.taken(ME);
		this.lua.acquire(new Asker("you", "r3").waitingAt("-"));
		assertThat(this.lua.yield(ME, "r1", new Asker("pod-1/r4", "r4").waitingAt("-"))).startsWith(1L, 0L, "you");
	}

	@Test
	void withdrawReleasesATakenLockAndKeepsTheFenceAsLongAsItsMark() {
		this.lua.taken(ME);

		assertThat(this.lua.withdraw(ME, "r2")).as("of another request").isZero();
		assertThat(this.lua.holder()).isEqualTo(ME);
		assertThat(this.lua.withdraw(ME, "r1")).isEqualTo(1);

		assertThat(this.lua.get(LOCK)).isNull();
		assertThat(this.lua.kept()).isPositive().isGreaterThanOrEqualTo(this.lua.timeToLive(CANCEL + "r1"));
		assertThat(this.lua.timeToLive(FENCE)).isGreaterThanOrEqualTo(this.lua.timeToLive(CANCEL + "r1"));
		refused("late");
		assertThat(this.lua.acquire(ME, "r1")).containsExactly(2L);
	}

	@Test
	void requestWithdrawnBeforeItArrivesIsNotGranted() {
		this.lua.withdraw(ME, "r1");
		refused("late");

		assertThat(this.lua.acquire("you", "r2")).startsWith(1L);
		assertThat(this.lua.release("you", "r2")).isEqualTo(1);

		refused("kept, whoever had the lock meanwhile");
	}

	@Test
	void ownerProlongsATakenLockWhichKeepsItsForm() {
		long token = this.lua.taken(ME);

		assertThat(this.lua.renew("pod-2/r2", 100_000)).isZero();
		assertThat(this.lua.renew(ME, 100_000)).isEqualTo(1);
		assertThat(this.lua.timeToLive(LOCK)).isBetween(90_000L, 100_000L);
		assertThat(this.lua.acquire(new Asker(ME, "r1").timeToLive(200_000))).containsExactly(1L, token);
		assertThat(this.lua.timeToLive(LOCK)).isBetween(190_000L, 200_000L);

		assertThat(this.lua.get(LOCK)).isEqualTo(value(token));
		assertThat(this.lua.keys()).containsExactly(LOCK);
		assertThat(this.lua.free(value(token))).isEqualTo(1);
	}

	@Test
	void forceReleaseEndsATakenLock() {
		long token = this.lua.taken(ME);

		assertThat(this.lua.forceRelease("pod-2/r2")).isZero();
		assertThat(this.lua.forceRelease(ME)).isEqualTo(1);

		assertThat(this.lua.get(LOCK)).isNull();
		assertThat(this.lua.get(FENCE)).startsWith(token + " ");
		assertThat(this.lua.free(value(token))).isZero();
		assertThat(this.lua.release(ME, "r1")).as("lost").isZero();
	}

	@Test
	void forceReleasedLockKeepsItsFenceAsLongAsTheQueue() {
		long token = this.lua.taken(ME);
		this.lua.acquire(new Asker("you", "r2").waitingAt("-").toldToAsk());
		this.lua.redis.opsForValue().set(FENCE, token + " 33 1 r1 - " + ME, Duration.ofMinutes(1));

		assertThat(this.lua.forceRelease(ME)).isEqualTo(1);

		assertThat(this.lua.get(LOCK)).isNull();
		assertThat(this.lua.kept()).isGreaterThanOrEqualTo(this.lua.timeToLive(QUEUE));
		assertThat(this.lua.timeToLive(FENCE)).isGreaterThanOrEqualTo(this.lua.timeToLive(QUEUE));
		refused("it is another one's turn");
	}

	// afterwards

	@Test
	void lockIsTakenAgainOnceQueueAndFenceAreGone() {
		long token = this.lua.taken(ME);
		this.lua.acquire(new Asker("you", "r2").waitingAt("-"));
		this.lua.withdrawArrived("you", "r2");
		assertThat(this.lua.release(ME, "r1")).isEqualTo(1);
		refused("kept for a queue that might be there");

		Awaitility.await("taken again").until(() -> !this.lua.take("pod-2/r3").equals(NOT_TAKEN));

		assertThat(this.lua.keys()).containsExactly(LOCK);
		assertThat(Long.parseLong(String.valueOf(this.lua.get(LOCK)).split("\t")[2])).isGreaterThan(token);
	}

	@Test
	void noKeyRemainsThreeSecondsAfterTheLastRelease() {
		this.lua.taken(ME);

		this.lua.release(ME, "r1");

		assertThat(this.lua.keys()).isNotEmpty()
			.allSatisfy((key) -> assertThat(this.lua.timeToLive(key)).isBetween(1L, 2_500L));
	}

	private void assertFull(long token) {
		assertThat(this.lua.get(LOCK)).isEqualTo(ME);
		assertThat(this.lua.grant()).isEqualTo(token + " 33 r1 - " + ME);
		assertThat(this.lua.timeToLive(FENCE)).isGreaterThan(this.lua.timeToLive(LOCK));
	}

	private static String value(long token) {
		return ME + "\t33\t" + token;
	}

	private static String fence(String name) {
		return LuaSeveralScripts.beside(name, "fence");
	}

}
