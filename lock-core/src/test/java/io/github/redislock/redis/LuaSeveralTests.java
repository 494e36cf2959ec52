package io.github.redislock.redis;

import java.util.List;

import io.github.redislock.redis.LuaScripts.Asker;
import io.github.redislock.testing.RedisServerExtension;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static io.github.redislock.redis.LuaScripts.GONE;
import static io.github.redislock.redis.LuaScripts.INBOX;
import static io.github.redislock.redis.LuaSeveralScripts.beside;
import static io.github.redislock.redis.LuaSeveralScripts.lock;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests how the scripts acquire several locks at once and queue for them, with a real
 * Redis.
 */
@ExtendWith(RedisServerExtension.class)
@Tag("promise-12")
class LuaSeveralTests {

	private final LuaSeveralScripts lua = new LuaSeveralScripts();

	@AutoClose
	private final RecordingInbox inbox = new RecordingInbox(INBOX);

	// acquiring

	@Test
	void allLocksAreAcquiredWithOneTokenThatEachFenceRecords() {
		long first = token(this.lua.acquire("b", new Asker("x", "r0").tokens(50_000_000)));
		this.lua.release("b", "x", "r0");

		long token = token(this.lua.acquire("abc", new Asker("me", "r1").tokens(32)));

		assertThat(token).as("above those reserved for one of them").isGreaterThanOrEqualTo(first + 50_000_000);
		assertThat(this.lua.owners("abc")).containsExactly("me", "me", "me");
		assertThat(List.of("a", "b", "c")).allSatisfy((name) -> {
			assertThat(this.lua.fence(name)).isEqualTo(token + " 32 0 r1 " + (name.equals("b") ? "r0" : "-") + " me");
			assertThat(this.lua.redis.getExpire(lock(name))).isBetween(50L, 60L);
		});
		assertThat(token(this.lua.acquire("c", new Asker("me", "r2")))).isEqualTo(token);
	}

	@Test
	void repeatedRequestProlongsTheLocksAndTheirFences() {
		this.lua.acquire("ab", new Asker("me", "r1"));

		this.lua.acquire("ab", new Asker("me", "r1").timeToLive(120_000));

		assertThat(List.of(lock("a"), beside("a", "fence"), lock("b"), beside("b", "fence")))
			.allSatisfy((key) -> assertThat(this.lua.redis.getExpire(key)).isBetween(110L, 125L));
	}

	@Test
	void lockThatTheOwnerAlreadyHoldsGetsTheTokenOfTheOthers() {
		this.lua.acquire("a", new Asker("me", "r1"));

		long token = token(this.lua.acquire("ab", new Asker("me", "r2").timeToLive(120_000)));

		assertThat(this.lua.fence("a")).isEqualTo(token + " 1 0 r1 - me");
		assertThat(this.lua.redis.getExpire(lock("a"))).isBetween(110L, 120L);
	}

	@Test
	void nothingIsAcquiredIfOneKeyIsNotALock() {
		this.lua.redis.opsForList().leftPush(lock("c"), "somebody's data");

		assertThat(this.lua.acquire("abc", waiting("me", "r1"))).isEqualTo(List.of(5L, 3L));

		this.lua.redis.delete(lock("c"));
		this.lua.redis.opsForValue().set(lock("b"), "somebody's data");
		assertThat(this.lua.acquire("abc", waiting("me", "r1"))).isEqualTo(List.of(3L, 2L));
		assertThat(this.lua.owners("ac")).containsExactly("-", "-");
		assertThat(this.lua.queue("a")).isEmpty();
	}

	@Test
	void queueOfAnotherTypePreventsAnAcquisitionButNotARelease() {
		this.lua.acquire("ab", new Asker("me", "r1"));
		this.lua.redis.opsForList().leftPush(beside("b", "queue"), "somebody's data");

		assertThat(this.lua.release("ab", "me", "r1")).isEqualTo(1);
		LuaScripts.refused(() -> this.lua.acquire("ab", new Asker("me", "r2")), "data of another type");

		assertThat(this.lua.owners("ab")).containsExactly("-", "-");
	}

	@Test
	void fullMemoryRefusesACallerThatDoesNotWaitButServesAWaiter() {
		this.lua.one.withFullMemory(() -> LuaScripts.refused(() -> this.lua.acquire("ab", new Asker("me", "r1")),
				"Redis is out of memory"));
		assertThat(this.lua.owners("ab")).containsExactly("-", "-");
		this.lua.acquire("a", new Asker("other", "r0"));

		this.lua.one.withFullMemory(() -> {
			this.lua.acquire("ab", waiting("me", "r1"));
			assertThat(this.lua.release("a", "other", "r0")).isEqualTo(1);
			assertThat(token(this.lua.acquire("ab", waiting("me", "r1")))).isPositive();
			assertThat(this.lua.release("ab", "me", "r1")).isEqualTo(1);
		});
		assertThat(this.lua.owners("ab")).containsExactly("-", "-");
	}

	@Test
	void locksOfEitherFormAreAcquiredTogetherAndReleased() {
		this.lua.acquire("b", new Asker("other/r0", "r0"));
		Asker me = waiting("me/r1", "r1").tokens(32);
		assertThat(this.lua.acquire("ab", me)).startsWith(0L, "other/r0");
		assertThat(this.lua.release("b", "other/r0", "r0")).isEqualTo(1);

		long token = token(this.lua.acquire("ab", me));

		assertThat(token(this.lua.acquire("ab", me))).as("requested again").isEqualTo(token);
		assertThat(this.lua.owners("ab")).containsExactly("me/r1\t32\t" + token + "\t-",
				"me/r1\t32\t" + token + "\tr0");
		assertThat(this.lua.release("ab", "me/r1", "r1")).isEqualTo(1);
		assertThat(this.lua.release("ab", "me/r1", "r1")).as("sent twice").isEqualTo(1);
		assertThat(this.lua.owners("ab")).containsExactly("-", "-");
	}

	@Test
	void restOfAPartlyLostGrantIsReleasedIfAnotherOwnerHoldsALock() {
		this.lua.acquire("abc", waiting("me", "r1"));
		this.lua.acquire("a", new Asker("you", "r2").waitingAt(INBOX));
		this.lua.forceRelease("b");
		this.lua.acquire("b", new Asker("other", "r0"));

		assertThat(this.lua.acquire("abc", waiting("me", "r1"))).startsWith(0L, "other");

		assertThat(this.lua.owners("abc")).containsExactly("you", "other", "-");
	}

	// waiting

	@Test
	void waiterHasTheSamePlaceInAllQueues() {
		this.lua.acquire("b", new Asker("other", "r0"));

		this.lua.acquire("abc", waiting("me", "r1"));

		assertThat(List.of("a", "b", "c")).allSatisfy((name) -> {
			assertThat(this.lua.queue(name)).containsExactly("r1");
			assertThat(this.lua.place(name, "r1")).isEqualTo(this.lua.place("a", "r1"));
		});
		assertThat(this.lua.owners("ac")).as("nothing is taken").containsExactly("-", "-");
	}

	@Test
	void repeatedRequestKeepsItsPlaceInAllQueues() {
		this.lua.acquire("ab", new Asker("other", "r0"));
		this.lua.acquire("ab", waiting("me", "r1"));
		this.lua.acquire("ab", waiting("you", "r2"));

		this.lua.acquire("ab", waiting("me", "r1"));

		assertThat(this.lua.queue("a")).containsExactly("r1", "r2");
		assertThat(this.lua.queue("b")).containsExactly("r1", "r2");
	}

	@Test
	void waiterThatLostItsPlaceInOneQueueLosesItInAll() {
		this.lua.acquire("abc", new Asker("other", "r0"));
		Asker polling = waiting("me", "r1").waitingAt("-").toldToAsk();
		this.lua.acquire("ab", polling);
		this.lua.acquire("ab", waiting("you", "r2"));
		this.lua.redis.opsForZSet().remove(beside("b", "queue"), polling.entry());

		this.lua.acquire("ab", polling);

		assertThat(this.lua.queue("a")).containsExactly("r2", "r1");
		assertThat(this.lua.queue("b")).containsExactly("r2", "r1");
		assertThat(this.lua.place("a", "r1")).isEqualTo(this.lua.place("b", "r1"));
		assertThat(this.lua.place("a", "r1") % 1).as("still polls").isEqualTo(0.5);
	}

	@Test
	void nextWaiterIsPromptedToRetryAndNotHandedTheLocks() {
		this.lua.acquire("a", new Asker("one", "r0"));
		this.lua.acquire("b", new Asker("other", "r9"));
		this.lua.acquire("ab", waiting("me", "r1").askedAt(77));

		this.lua.release("a", "one", "r0");

		assertThat(this.inbox.messages()).containsExactly("r1 - 0");
		assertThat(this.lua.owners("ab")).containsExactly("-", "other");
		assertThat(this.lua.acquire("ab", waiting("me", "r1"))).startsWith(0L, "other");
		this.lua.release("b", "other", "r9");
		assertThat(token(this.lua.acquire("ab", waiting("me", "r1")))).isPositive();
		assertThat(this.lua.queue("a")).isEmpty();
		assertThat(this.lua.queue("b")).isEmpty();
	}

	@Test
	void waiterGetsOneMessageForLocksReleasedTogether() {
		this.lua.acquire("abc", new Asker("one", "r0"));
		this.lua.acquire("abc", waiting("me", "r1").askedAt(1));
		this.lua.acquire("bc", waiting("you", "r2").askedAt(2));

		assertThat(this.lua.release("abc", "one", "r0")).isEqualTo(1);
		this.lua.acquire("abc", waiting("me", "r1"));
		this.lua.release("abc", "me", "r1");

		assertThat(this.inbox.messages()).containsExactly("r1 - 0", "r2 - 0");
	}

	@Test
	void waiterForOneLockIsHandedItWhenTheWaiterForSeveralWithdraws() {
		this.lua.acquire("b", new Asker("other", "r0"));
		this.lua.acquire("ab", waiting("me", "r1"));
		this.lua.acquire("a", new Asker("you", "r2").waitingAt(INBOX).askedAt(5));

		assertThat(this.lua.withdraw("ab", "me", "r1")).isZero();

		assertThat(this.inbox.messages()).singleElement().asString().startsWith("r2 - ").doesNotEndWith(" 0");
		assertThat(this.lua.owners("ab")).containsExactly("you", "other");
		assertThat(this.lua.acquire("ab", waiting("me", "r1"))).isEqualTo(List.of(2L));
	}

	@Test
	void lockReservedForAWaiterIsPassedOnWhenThatWaiterWithdraws() {
		this.lua.acquire("a", new Asker("one", "r0"));
		this.lua.acquire("a", waiting("me", "r1"));
		this.lua.acquire("a", new Asker("you", "r2").waitingAt(INBOX).askedAt(5));
		this.lua.release("a", "one", "r0");
		assertThat(this.lua.owners("a")).as("kept free").containsExactly("-");

		assertThat(this.lua.withdraw("a", "me", "r1")).isZero();

		assertThat(this.lua.owners("a")).containsExactly("you");
		assertThat(this.inbox.messages()).last().asString().startsWith("r2 - ").doesNotEndWith(" 0");
	}

	@Test
	void unreachableWaiterIsPassedOverAndKeepsItsPlace() {
		this.lua.acquire("ab", new Asker("other", "r0"));
		this.lua.acquire("ab", new Asker("me", "r1").waitingAt(GONE).toldToAsk());
		this.lua.acquire("a", new Asker("you", "r2").waitingAt(INBOX));

		this.lua.release("ab", "other", "r0");

		assertThat(this.lua.owners("ab")).containsExactly("you", "-");
		assertThat(this.lua.queue("a")).containsExactly("r1");
	}

	// releasing

	@Test
	void foreignDataInOneKeyDoesNotKeepTheOtherLocksFromBeingReleased() {
		this.lua.acquire("abc", new Asker("me", "r1"));
		this.lua.redis.delete(lock("a"));
		this.lua.redis.opsForList().leftPush(lock("a"), "somebody's data");

		assertThat(this.lua.release("abc", "me", "r1")).isZero();

		assertThat(this.lua.owners("bc")).containsExactly("-", "-");
	}

	private static Asker waiting(String owner, String request) {
		return new Asker(owner, request).waitingAt(INBOX).toldToAsk();
	}

	private static long token(List<Object> reply) {
		assertThat(reply).hasSize(2).startsWith(1L);
		return (Long) reply.get(1);
	}

}
