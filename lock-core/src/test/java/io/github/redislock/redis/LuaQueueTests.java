package io.github.redislock.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

import io.github.redislock.redis.LuaScripts.Asker;
import io.github.redislock.testing.FencingTokens;
import io.github.redislock.testing.RedisServerExtension;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.redislock.redis.LuaScripts.FENCE;
import static io.github.redislock.redis.LuaScripts.GONE;
import static io.github.redislock.redis.LuaScripts.INBOX;
import static io.github.redislock.redis.LuaScripts.LOCK;
import static io.github.redislock.redis.LuaScripts.QUEUE;
import static io.github.redislock.redis.LuaScripts.WAITERS;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests how the scripts keep the queue and hand a lock over, with a real Redis.
 */
@ExtendWith(RedisServerExtension.class)
class LuaQueueTests {

	private static final String ASKS_AGAIN = "-";

	private static final Asker AGAIN = new Asker("me again/r9", "r9").waitingAt(INBOX).tokens(32).askedAt(7);

	private final LuaScripts lua = scripts();

	@AutoClose
	private final RecordingInbox inbox = new RecordingInbox(INBOX);

	LuaScripts scripts() {
		return new LuaScripts();
	}

	// joining

	/**
	 * Its value does not name the request. Without its fence, the lock would count as the
	 * data of another program.
	 */
	@Test
	void fenceOfALockThatNeverExpiresIsKeptWhileOthersWait() {
		this.lua.acquire(new Asker("me", "r1").timeToLive(0));

		this.lua.acquire(new Asker("you/r2", "r2").waitingAt(INBOX));

		assertThat(this.lua.timeToLive(FENCE)).isEqualTo(-1);
	}

	@Test
	void waitingCallerJoinsTheQueue() {
		long token = this.lua.granted("me/r1", "r1");

		List<Object> reply = this.lua.acquire(new Asker("you/r2", "r2").waitingAt(INBOX).tokens(32).askedAt(-4_711));

		assertThat(reply.subList(0, 2)).isEqualTo(List.of(0L, "me/r1"));
		assertThat(reply.subList(3, 5)).isEqualTo(List.of(token, 1L));
		assertThat(this.lua.entries()).containsExactly("r2 30000 32 " + INBOX + " you/r2");
		assertThat(FencingTokens.instant((long) joined("r2"))).isBetween(Instant.now().minusSeconds(10),
				Instant.now().plusSeconds(10));
		assertThat(this.lua.keys()).containsExactlyInAnyOrder(LOCK, FENCE, QUEUE);
		assertThat(this.lua.get(FENCE)).as("kept, and nothing else").matches("0 0 \\d+ - - ");
	}

	@Test
	void requestsJoinTheQueueAtTheirMicrosecond() {
		this.lua.acquire("me/r0", "r0");
		List<String> requests = List.of("r1", "r2", "r3", "r4", "r5");

		requests.forEach((request) -> waits("you/" + request, request));

		assertThat(requests).filteredOn((request) -> joined(request) % 100 != 0)
			.as("not rounded")
			.hasSizeGreaterThan(1);
	}

	@Test
	void repeatedRequestKeepsItsPlaceAndCountsAsAHeartbeat() {
		this.lua.acquire("me/r1", "r1");
		waits("you/r2", "r2");
		waits("she/r3", "r3");
		this.lua.fallSilent(Duration.ofMillis(1_900));
		expireIn(Duration.ofMinutes(1));
		double joined = joined("r2");

		List<Object> reply = this.lua.acquire(new Asker("you/r2", "r2").waitingAt(INBOX).askedAt(2));

		assertThat(reply.get(4)).isEqualTo(2L);
		assertThat(this.lua.queue()).containsExactly("r2", "r3");
		assertThat(joined("r2")).as("described").isEqualTo(joined + 0.25);
		assertThat(this.lua.waiters()).containsOnlyKeys("r2").hasEntrySatisfying("r2", (noted) -> {
			assertThat(noted).matches("\\d{16} 2");
			assertThat(Double.parseDouble(noted.split(" ")[0])).isGreaterThanOrEqualTo(joined + 1_900_000);
		});
		assertLivesOn();
		this.lua.fallSilent(Duration.ofMillis(1_900));
		assertThat(this.lua.release("me/r1", "r1")).isOne();
		assertThat(this.inbox.messages()).containsExactly("r2 2 " + this.lua.token());
		assertThat(this.lua.keys()).as("note of a waiter that has the lock").doesNotContain(WAITERS);
	}

	@Test
	void requestPollsOrGetsMessagesAsItsLastCopySays() {
		this.lua.acquire("me/r1", "r1");
		waits("you/r2", "r2", ASKS_AGAIN);
		double polls = joined("r2");

		waits("you/r2", "r2");
		double waits = joined("r2");
		waits("you/r2", "r2", ASKS_AGAIN);

		assertThat(polls - Math.floor(polls)).isEqualTo(0.5);
		assertThat(waits).isEqualTo(Math.floor(polls) + 0.25);
		assertThat(joined("r2")).isEqualTo(polls);
		assertThat(this.lua.queue()).containsExactly("r2");
	}

	// waiters of version 2

	@Test
	void waiterOfVersionTwoIsNotifiedToAskAndNotHandedTheLock() {
		this.lua.acquire("me/r1", "r1");
		waitsInVersionTwo("r2 7 30000 32 " + INBOX + " you/r2");
		waits("she/r3", "r3");

		assertThat(this.lua.release("me/r1", "r1")).isOne();

		assertThat(this.lua.get(LOCK)).as("kept free").isNull();
		assertThat(this.inbox.messages()).containsExactly("r2 7 0");
		assertThat(this.lua.acquire("newcomer/r4", "r4")).startsWith(0L, "you/r2", -900L);
		assertThat(this.lua.withdraw("you/r2", "r2")).as("its own script removes it").isZero();
	}

	/** That version takes the entry for the request, and knows it by this description. */
	@Test
	void waiterIsDescribedToVersionTwoWhichMayHoldTheLock() {
		this.lua.taken("me/r1");
		Asker you = new Asker("you/r2", "r2").tokens(32).waitingAt(INBOX);
		this.lua.acquire(you);
		Asker she = new Asker("she/r3", "r3").waitingAt("-");
		this.lua.acquire(she);

		assertThat(this.lua.waiters().get(you.entry())).matches("\\d{16} - 0 32 " + INBOX + " you/r2");
		assertThat(this.lua.waiters().get(she.entry())).matches("\\d{16} - 0 1 - she/r3");

		this.lua.release("me/r1", "r1");
		this.lua.withdraw("she/r3", "r3");
		assertThat(this.lua.waiters()).isEmpty();
	}

	@Test
	void silentWaiterOfVersionTwoCountsAsDead() {
		this.lua.acquire("me/r1", "r1");
		waitsInVersionTwo("r2 7 30000 32 " + INBOX + " you/r2");
		this.lua.fallSilent(Duration.ofSeconds(4));
		waits("she/r3", "r3");

		this.lua.release("me/r1", "r1");

		assertThat(this.lua.holder()).isEqualTo("she/r3");
		assertThat(this.lua.entries()).isEmpty();
		assertThat(this.lua.waiters()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void entryOfAnEarlierBuildDoesNotDelayAHandOver(boolean yielded) {
		this.lua.acquire("me/r1", "r1");
		waits("you/r2", "r2");
		noteAsEarlierBuilds();

		if (yielded) {
			assertThat(this.lua.yield("me/r1", "r1", AGAIN)).startsWith(1L, 0L, "you/r2");
		}
		else {
			assertThat(this.lua.release("me/r1", "r1")).isOne();
		}

		assertThat(this.lua.holder()).isEqualTo("you/r2");
		assertThat(this.inbox.messages()).containsExactly("r2 - " + this.lua.token());
		assertThat(this.lua.queue()).isEqualTo(yielded ? List.of("r9") : List.of());
	}

	@Test
	void entryOfAnEarlierBuildDoesNotKeepAFreeLock() {
		noteAsEarlierBuilds();
		this.lua.granted("me/r1", "r1");
		this.lua.release("me/r1", "r1");
		noteAsEarlierBuilds();
		this.lua.shared("reader/r2", "r2", 2);

		assertThat(this.lua.queue()).isEmpty();
	}

	// hand-over

	@Test
	void releaseHandsTheLockToTheFirstWaiter() {
		long token = this.lua.granted("me/r1", "r1");
		waits("you/r2", "r2");
		waits("she/r3", "r3");

		assertThat(this.lua.release("me/r1", "r1")).isEqualTo(1);

		assertThat(this.lua.holder()).isEqualTo("you/r2");
		assertThat(this.lua.timeToLive(LOCK)).as("claim").isBetween(20_000L, Asker.CLAIM);
		assertThat(this.lua.token()).isGreaterThan(token);
		assertThat(this.lua.grant()).isEqualTo(this.lua.token() + " 1 r2 r1 you/r2");
		assertThat(this.lua.get(FENCE)).as("nothing but the queue").startsWith("0 0 ");
		assertThat(this.lua.timeToLive(FENCE)).isBetween(1L, 5_000L);
		assertThat(this.lua.queue()).containsExactly("r3");
	}

	@Test
	void forceReleaseWithAPromptedWaiterResetsTheExpiryOfItsQueue() {
		this.lua.acquire("me/r1", "r1");
		assertThat(this.lua.acquire(new Asker("you/r2", "r2").waitingAt(INBOX).toldToAsk())).startsWith(0L);
		expireIn(Duration.ofMinutes(1));

		assertThat(this.lua.forceRelease()).isEqualTo(1);

		assertThat(this.lua.queue()).containsExactly("r2");
		assertLivesOn();
		assertThat(this.lua.get(LOCK)).as("kept free").isNull();
		assertThat(this.lua.release("me/r1", "r1")).as("lost").isZero();
	}

	@Test
	void nextHolderIsNotifiedOnceOnItsInbox() {
		try (RecordingInbox other = new RecordingInbox(INBOX + ":other")) {
			this.lua.acquire("me/r1", "r1");
			this.lua.acquire(new Asker("you/r2", "r2").waitingAt(INBOX).askedAt(7));
			this.lua.acquire(new Asker("you/r2", "r2").waitingAt(INBOX).askedAt(-8));
			this.lua.acquire(new Asker("she/r3", "r3").waitingAt(INBOX + ":other").askedAt(9));

			this.lua.release("me/r1", "r1");

			assertThat(this.inbox.messages()).containsExactly("r2 -8 " + this.lua.token());
			assertThat(other.messages()).isEmpty();
		}
	}

	@Test
	void waiterConfirmingAfterItsClaimRejoinsAtTheEndOfTheQueue() {
		this.lua.acquire("me/r1", "r1");
		waits("you/r2", "r2");
		waits("she/r3", "r3");
		this.lua.release("me/r1", "r1");
		this.lua.expire();

		waits("you/r2", "r2");

		assertThat(this.lua.holder()).isEqualTo("she/r3");
		assertThat(this.lua.queue()).containsExactly("r2");
	}

	@Test
	@Tag("promise-3")
	void handOverTokenExceedsTheLastBlockAndReservesANewBlock() {
		long ahead = FencingTokens.next(Instant.now().plusSeconds(3_600), 0);
		this.lua.redis.opsForValue().set(FENCE, ahead + " 1 0 r0 - other", Duration.ofMinutes(1));
		this.lua.acquire(new Asker("me/r1", "r1").tokens(32));
		String next = "my job/17 b/r2";
		this.lua.acquire(new Asker(next, "r2").waitingAt(INBOX).tokens(5));

		this.lua.release("me/r1", "r1");
		assertThat(this.lua.grant()).isEqualTo((ahead + 33) + " 5 r2 r1 " + next);
		assertThat(this.inbox.messages()).containsExactly("r2 - " + (ahead + 33));

		assertThat(this.lua.release(next, "r2")).isOne();
		assertThat(this.lua.granted("she/r3", "r3")).isEqualTo(ahead + 38);
	}

	// yield

	@Test
	void yieldedLockGoesToTheFirstWaiterAndTheYielderQueuesLast() {
		this.lua.acquire("me/r1", "r1");
		waits("you/r3", "r3");
		waits("she/r4", "r4");

		List<Object> reply = this.lua.yield("me/r1", "r1", AGAIN);

		assertThat(reply).isEqualTo(List.of(1L, 0L, "you/r3", Asker.CLAIM, this.lua.token(), 2L));
		assertThat(this.lua.grant()).endsWith(" r3 r1 you/r3");
		assertThat(this.lua.queue()).containsExactly("r4", "r9");
		assertThat(this.lua.entries()).last().isEqualTo("r9 30000 32 " + INBOX + " me again/r9");
		assertThat(this.inbox.messages()).containsExactly("r3 - " + this.lua.token());
	}

	@Test
	void yieldedLockIsGrantedAgainIfNoWaiterIsReachable() {
		this.lua.acquire("me/r1", "r1");
		waits("gone/r3", "r3", GONE);
		waits("gone too/r4", "r4", GONE);

		assertThat(this.lua.yield("me/r1", "r1", AGAIN)).isEqualTo(List.of(1L, 1L, this.lua.token()));

		assertThat(this.lua.grant()).endsWith(" 32 r9 r1 me again/r9");
		assertThat(this.lua.queue()).containsExactly("r3", "r4");
		assertThat(this.inbox.messages()).isEmpty();
	}

	@Test
	void yieldOfALockThatThisRequestHasReleasedIsARelease() {
		this.lua.acquire("me/r1", "r1");
		this.lua.release("me/r1", "r1");

		assertThat(this.lua.yield("me/r1", "r1", AGAIN)).isEqualTo(List.of(1L, 1L, this.lua.token()));
	}

	@Test
	void yielderWhoseNextRequestWasWithdrawnDoesNotQueue() {
		this.lua.acquire("me/r1", "r1");
		waits("you/r3", "r3");
		this.lua.withdraw("me again/r9", "r9");

		this.lua.yield("me/r1", "r1", AGAIN);

		assertThat(this.lua.holder()).isEqualTo("you/r3");
		assertThat(this.lua.queue()).isEmpty();
	}

	@Test
	void yieldRepliesWithAMessageThatItMayNotPublish() {
		this.lua.acquire("me/r1", "r1");
		waits("you/r3", "r3");

		List<Object> reply = LuaScripts.withoutPublishing().yield("me/r1", "r1", AGAIN);

		assertThat(reply).isEqualTo(
				List.of(1L, 0L, "you/r3", Asker.CLAIM, this.lua.token(), 1L, INBOX + " r3 - " + this.lua.token()));
	}

	@Test
	void lockOfAnotherProgramHasNoToken() {
		this.lua.redis.opsForValue().set(LOCK, "python", Duration.ofMinutes(1));

		assertThat(this.lua.inspect()).startsWith("python").endsWith(0L, 0L, 1L, 0L);
	}

	@Test
	@Tag("promise-3")
	void tokensGrowWithEveryYield() {
		this.lua.acquire("me/r0", "r0");

		long last = 0;
		for (int turn = 1; turn <= 20; turn++) {
			this.lua.yield("me/r" + (turn - 1), "r" + (turn - 1),
					new Asker("me/r" + turn, "r" + turn).tokens(100_000_000));
			assertThat(this.lua.token() - last).as("past the block").isGreaterThanOrEqualTo(100_000_000);
			last = this.lua.token();
		}
	}

	// dead waiters

	@Test
	void waiterThatMissedOneHeartbeatIsAlive() {
		this.lua.acquire("me/r1", "r1");
		waits("you/r2", "r2");
		this.lua.fallSilent(Duration.ofMillis(1_500));
		waits("she/r3", "r3");

		this.lua.release("me/r1", "r1");

		assertThat(this.lua.holder()).isEqualTo("you/r2");
	}

	@Test
	void waiterWithoutAValidRecordIsRemoved() {
		this.lua.acquire("me/r1", "r1");
		this.lua.redis.opsForZSet().add(QUEUE, "r2", 1);
		this.lua.redis.opsForZSet().add(QUEUE, "r3", 2);
		this.lua.redis.opsForHash().put(WAITERS, "r3", "spoilt");
		waits("he/r4", "r4");

		this.lua.release("me/r1", "r1");

		assertThat(this.lua.holder()).isEqualTo("he/r4");
		assertThat(this.lua.queue()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "released", "withdrawn", "taken by force" })
	void unreachableWaiterIsPassedOverButKeepsItsPlace(String end) {
		this.lua.acquire("me/r1", "r1");
		waits("you/r2", "r2", GONE);
		waits("she/r3", "r3", GONE);
		waits("he/r4", "r4");
		waits("they/r5", "r5");
		double joined = joined("r2");

		assertThat(switch (end) {
			case "released" -> this.lua.release("me/r1", "r1");
			case "withdrawn" -> this.lua.withdraw("me/r1", "r1");
			default -> this.lua.forceRelease();
		}).isOne();

		assertThat(this.lua.holder()).isEqualTo("he/r4");
		assertThat(this.lua.queue()).containsExactly("r2", "r3", "r5");
		assertThat(joined("r2")).isEqualTo(joined);
	}

	@Test
	void unreachableWaiterThatHasToAskKeepsItsPlaceIfNoneIsReachable() {
		this.lua.acquire("me/r1", "r1");
		assertThat(this.lua.acquire(new Asker("you/r2", "r2").waitingAt(GONE).toldToAsk())).startsWith(0L);
		waits("she/r3", "r3", GONE);

		assertThat(this.lua.release("me/r1", "r1")).isOne();

		assertThat(this.lua.holder()).isNull();
		assertThat(this.lua.queue()).containsExactly("r2", "r3");
	}

	@Test
	void firstUnreachableWaiterIsHandedTheLockIfNoneIsReachable() {
		this.lua.acquire("me/r1", "r1");
		waits("dead/r2", "r2", GONE);
		this.lua.fallSilent(Duration.ofMinutes(1));
		waits("you/r3", "r3", GONE);
		waits("she/r4", "r4", GONE);

		assertThat(this.lua.release("me/r1", "r1")).isEqualTo(1);

		assertThat(this.lua.grant()).endsWith(" r3 r1 you/r3");
		assertThat(this.lua.queue()).containsExactly("r4");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void unreachableWaiterIsNotPassedOverInACluster(boolean yielded) {
		this.lua.acquire("me/r1", "r1");
		waits("you/r2", "r2", GONE);
		waits("she/r3", "r3");

		if (yielded) {
			assertThat(this.lua.yield("me/r1", "r1", AGAIN.inACluster())).startsWith(1L, 0L, "you/r2");
		}
		else {
			this.lua.releaseInACluster("me/r1", "r1");
		}

		assertThat(this.lua.holder()).isEqualTo("you/r2");
		assertThat(this.inbox.messages()).isEmpty();
		this.lua.releaseInACluster("you/r2", "r2");
		assertThat(this.inbox.messages()).as("told all the same").containsExactly("r3 - " + this.lua.token());
	}

	@Test
	void pollingWaiterIsHandedTheLockWithoutAMessage() {
		try (RecordingInbox dash = new RecordingInbox(ASKS_AGAIN)) {
			this.lua.acquire("me/r1", "r1");
			waits("you/r2", "r2", ASKS_AGAIN);
			waits("she/r3", "r3");

			this.lua.release("me/r1", "r1");

			assertThat(this.lua.holder()).isEqualTo("you/r2");
			assertThat(this.lua.timeToLive(LOCK)).as("claim").isBetween(1L, Asker.CLAIM);
			assertThat(dash.messages()).isEmpty();
			assertThat(this.inbox.messages()).isEmpty();
		}
	}

	// free lock with waiters

	@Test
	void callerTakesTheLockIfAllEarlierWaitersAreDeadOrUnreachable() {
		this.lua.acquire("me/r1", "r1");
		waits("dead/r2", "r2");
		this.lua.fallSilent(Duration.ofMinutes(1));
		waits("gone/r3", "r3", GONE);
		waits("you/r4", "r4");
		waits("she/r5", "r5");
		this.lua.expire();

		assertThat(this.lua.acquire(new Asker("you/r4", "r4").waitingAt(INBOX))).first().isEqualTo(1L);

		assertThat(this.lua.queue()).containsExactly("r3", "r5");
		assertThat(this.inbox.messages()).isEmpty();
	}

	@Test
	void newCallerTakesTheLockIfAllWaitersAreUnreachable() {
		this.lua.acquire("me/r1", "r1");
		waits("gone/r2", "r2", GONE);
		this.lua.expire();

		assertThat(this.lua.acquire("newcomer/r3", "r3")).first().isEqualTo(1L);

		assertThat(this.lua.holder()).isEqualTo("newcomer/r3");
		assertThat(this.lua.queue()).containsExactly("r2");
		assertLivesOn();
	}

	// memory full

	@Test
	void expiredLockIsHandedOverWhenRedisIsOutOfMemory() {
		this.lua.acquire("me/r1", "r1");
		waits("you/r2", "r2");
		this.lua.expire();

		this.lua.withFullMemory(() -> assertThat(this.lua.acquire("newcomer/r3", "r3")).startsWith(0L, "you/r2"));

		assertThat(this.lua.holder()).isEqualTo("you/r2");
	}

	@Test
	void waitersAreServedWhenRedisIsOutOfMemory() {
		this.lua.acquire("me/r1", "r1");
		waits("you/r2", "r2");

		this.lua.withFullMemory(() -> {
			waits("you/r2", "r2");
			waits("she/r3", "r3");
			assertThat(this.lua.release("me/r1", "r1")).isOne();
			assertThat(this.inbox.messages()).singleElement().asString().endsWith(" " + this.lua.token());
			assertThat(this.lua.acquire(new Asker("you/r2", "r2").waitingAt(INBOX))).first().isEqualTo(1L);
			assertThat(this.lua.renew("you/r2", 60_000)).isOne();
			assertThat(this.lua.withdraw("you/r2", "r2")).isOne();
			assertThat(this.lua.acquire(new Asker("you/r2", "r2").waitingAt(INBOX))).containsExactly(2L);
			assertThat(this.lua.yield("she/r3", "r3", new Asker("she/r4", "r4").waitingAt(INBOX))).startsWith(1L, 1L);
			waits("he/r5", "r5");
			assertThat(this.lua.yield("she/r4", "r4", new Asker("she/r6", "r6").waitingAt(INBOX)))
				.startsWith(1L, 0L, "he/r5")
				.endsWith(1L);
			assertThat(this.lua.forceRelease()).isOne();
			assertThat(this.lua.release("she/r6", "r6")).isOne();
		});

		assertThat(this.lua.keys()).doesNotContain(LOCK, QUEUE);
	}

	@Test
	@Tag("promise-6")
	void refusedHandOverSendsNoMessage() {
		this.lua.acquire("me/r1", "r1");
		waits("you/r2", "r2");

		this.lua.withTooFewReplicas(
				() -> LuaScripts.refused(() -> this.lua.release("me/r1", "r1"), "min-replicas-to-write"));

		assertThat(this.inbox.messages()).isEmpty();
		assertThat(this.lua.holder()).isEqualTo("me/r1");
		assertThat(this.lua.queue()).containsExactly("r2");
	}

	private void waits(String owner, String request) {
		waits(owner, request, INBOX);
	}

	private void waits(String owner, String request, String channel) {
		assertThat(this.lua.acquire(new Asker(owner, request).waitingAt(channel))).first().isEqualTo(0L);
	}

	/**
	 * Queue what an instance with version 2 writes.
	 */
	private void waitsInVersionTwo(String described) {
		String[] fields = described.split(" ", 2);
		long now = FencingTokens.next(Instant.now(), 0);
		this.lua.redis.opsForZSet().add(QUEUE, fields[0], now);
		this.lua.redis.opsForHash().put(WAITERS, fields[0], now + " " + fields[1]);
		expireIn(Duration.ofSeconds(4));
	}

	/**
	 * Queue what earlier builds write for programs that cannot join the queue.
	 */
	private void noteAsEarlierBuilds() {
		this.lua.redis.opsForZSet().add(QUEUE, "-", 0);
		this.lua.redis.opsForHash().put(WAITERS, "-", Instant.now().toEpochMilli() + " 200 0");
	}

	private void expireIn(Duration duration) {
		this.lua.redis.expire(QUEUE, duration);
		this.lua.redis.expire(WAITERS, duration);
	}

	private void assertLivesOn() {
		assertThat(this.lua.timeToLive(QUEUE)).as("set anew").isBetween(1L, 4_000L);
		assertThat(this.lua.timeToLive(WAITERS)).as("if any request has asked again")
			.isLessThanOrEqualTo(4_000)
			.isNotEqualTo(-1);
	}

	/**
	 * Return the microsecond at which a request joined the queue, and half of one more if
	 * it polls.
	 */
	private double joined(String request) {
		String entry = this.lua.entries().get(this.lua.queue().indexOf(request));
		return Objects.requireNonNull(this.lua.redis.opsForZSet().score(QUEUE, entry));
	}

}
