package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.github.redislock.redis.LuaScripts.Asker;
import io.github.redislock.testing.RedisServerExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.core.RedisCallback;

import static io.github.redislock.redis.LuaScripts.LOCK;
import static io.github.redislock.redis.LuaScripts.QUEUE;
import static io.github.redislock.redis.LuaScripts.WAITERS;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the scripts in isolation: turns of programs that only use the lock key and cannot
 * join the queue.
 */
@ExtendWith(RedisServerExtension.class)
class LuaForeignTests {

	private static final String INBOX = "distributed_lock:inbox:lua-foreign";

	private static final String FOREIGN = "-";

	private static final long MOMENT = 120;

	/** Longer than any test, so that no turn becomes due or ends. */
	private static final long LATER = 2_500;

	private final LuaScripts lua = new LuaScripts();

	private final RecordingInbox inbox = new RecordingInbox(INBOX);

	@AfterEach
	void close() {
		this.inbox.close();
	}

	@Test
	void waiterRecordsAForeignHolderInTheQueue() {
		foreignHolds();

		List<Object> reply = waits("you", "r1");

		assertThat(this.lua.queue()).containsExactly(FOREIGN, "r1");
		assertThat(noted()).endsWith(" 200 0");
		assertThat(reply.get(4)).as("waiters, without it").isEqualTo(1L);
		assertThat(this.lua.inspect().get(3)).as("waiters, without it").isEqualTo(1L);
	}

	@Test
	void callerThatDoesNotWaitRecordsNoForeignWaiter() {
		foreignHolds();

		this.lua.acquire("you", "r1");

		assertThat(this.lua.keys()).containsExactly(LOCK);
	}

	@Test
	void nextForeignTurnIsDelayedByTheWaitOfTheFirstWaiter() {
		foreignHolds();
		waits("you", "r1");
		double joined = Objects.requireNonNull(this.lua.redis.opsForZSet().score(QUEUE, "r1"));
		this.lua.redis.opsForZSet().add(QUEUE, "r1", joined - 1_000_000);

		waits("you", "r1");

		long due = Long.parseLong(noted().split(" ")[0]);
		assertThat(due - (long) (joined / 1_000)).as("a second more").isGreaterThanOrEqualTo(1_000);
	}

	@Test
	void lockIsHandedOverUntilTheForeignTurnIsDue() {
		this.lua.acquire("me", "r1");
		waits("you", "r2");
		note(now() + LATER, 200, 0);

		this.lua.release("me", "r1");

		assertThat(this.lua.get(LOCK)).isEqualTo("you");
		assertThat(this.lua.queue()).containsExactly(FOREIGN);
	}

	@Test
	void releaseStartsTheForeignTurnAndNotifiesTheFirstWaiter() {
		this.lua.acquire("me", "r1");
		waits("you", "r2");
		note(now(), 200, 0);

		assertThat(this.lua.release("me", "r1")).isOne();

		assertThat(this.lua.redis.hasKey(LOCK)).isFalse();
		assertThat(this.inbox.messages()).containsExactly("r2 0 0");
		assertThat(until()).isBetween(1L, now() + MOMENT);
	}

	@Test
	void ourCallersAreRefusedDuringTheForeignTurnWithItsRemainingTime() {
		this.lua.acquire("me", "r1");
		waits("you", "r2");
		note(now(), 200, 0);
		this.lua.release("me", "r1");
		holdTheMoment();

		List<Object> newcomer = this.lua.acquire("she", "r3");

		assertThat(newcomer.subList(0, 2)).isEqualTo(List.of(0L, FOREIGN));
		assertThat((Long) newcomer.get(2)).isBetween(-MOMENT, -2L);
		assertThat(newcomer.get(4)).isEqualTo(1L);
		assertThat(waits("you", "r2").subList(0, 2)).isEqualTo(List.of(0L, FOREIGN));
		assertThat(this.lua.redis.hasKey(LOCK)).isFalse();
	}

	@Test
	void yieldingCallerWaitsForTheEndOfTheForeignTurn() {
		this.lua.acquire("me", "r1");
		note(now(), 200, 0);

		List<Object> reply = this.lua.yield("me", "r1", new Asker("me again", "r2").waitingAt(INBOX));

		assertThat(reply.subList(0, 3)).isEqualTo(List.of(1L, 0L, FOREIGN));
		assertThat(reply.get(3)).isEqualTo(-MOMENT);
		assertThat(this.lua.redis.hasKey(LOCK)).isFalse();
		assertThat(this.lua.queue()).containsExactly(FOREIGN, "r2");
	}

	@Test
	void firstWaiterIsNextAfterTheForeignTurn() {
		foreignHolds();
		waits("you", "r2");
		note(now() - LATER, 200, now() - 1);
		this.lua.redis.delete(LOCK);

		List<Object> reply = this.lua.acquire("she", "r3");

		assertThat(reply.subList(0, 2)).isEqualTo(List.of(0L, "you"));
		assertThat(this.lua.get(LOCK)).isEqualTo("you");
		assertThat(noted()).as("the next one later, unless it is seen").endsWith(" 320 0");
	}

	@Test
	void pauseBetweenForeignTurnsIsBounded() {
		foreignHolds();
		waits("you", "r2");
		note(now() - LATER, 2_990, now() - 1);
		this.lua.redis.delete(LOCK);

		this.lua.acquire("she", "r3");

		assertThat(noted()).endsWith(" 3000 0");
	}

	@Test
	void lockWithoutWaitersBecomesFree() {
		this.lua.acquire("me", "r1");
		note(now(), 200, 0);

		this.lua.release("me", "r1");

		assertThat(this.lua.redis.hasKey(LOCK)).isFalse();
		assertThat(until()).isZero();
		this.lua.granted("she", "r2");
	}

	@Test
	void duplicateReleaseReturnsTheSameOutcomeAfterAForeignAcquire() {
		this.lua.acquire("me", "r1");
		waits("you", "r2");
		note(now(), 200, 0);
		this.lua.release("me", "r1");
		foreignHolds();

		assertThat(this.lua.release("me", "r1")).isOne();

		assertThat(this.lua.get(LOCK)).isEqualTo("3f2a77");
	}

	@Test
	void duplicateReleaseReturnsTheSameOutcomeAfterAWaiterTookTheLock() {
		this.lua.acquire("me", "r1");
		waits("you", "r2");
		note(now(), 200, 0);
		this.lua.release("me", "r1");
		note(now() - LATER, 200, now() - 1);
		assertThat(this.lua.acquire(new Asker("you", "r2").waitingAt(INBOX))).first().isEqualTo(1L);

		assertThat(this.lua.release("me", "r1")).isOne();

		assertThat(this.lua.get(LOCK)).isEqualTo("you");
		assertThat(this.lua.release("somebody", "r0")).isZero();
	}

	@Test
	void foreignTurnEndsIfTheClockWentBack() {
		this.lua.acquire("me", "r1");
		waits("you", "r2");
		note(now() + 3_600_000, 200, now() + 3_600_000);
		this.lua.redis.delete(LOCK);

		List<Object> reply = waits("she", "r3");

		assertThat(reply.get(1)).isEqualTo("you");
		assertThat(this.lua.get(LOCK)).isEqualTo("you");
	}

	@Test
	void foreignTurnStartsEvenIfTheClockWentBack() {
		this.lua.acquire("me", "r1");
		waits("you", "r2");
		note(now() + 3_600_000, 200, 0);

		this.lua.release("me", "r1");

		assertThat(this.lua.redis.hasKey(LOCK)).isFalse();
		assertThat(until()).isPositive();
	}

	@Test
	void foreignRecordExpiresWithTheQueue() {
		foreignHolds();

		waits("you", "r1");

		assertThat(this.lua.timeToLive(QUEUE)).isBetween(1L, 4_000L);
		assertThat(this.lua.timeToLive(WAITERS)).isBetween(1L, 4_000L);
	}

	@Test
	void foreignEntryWithoutARecordIsRemoved() {
		this.lua.acquire("me", "r1");
		waits("you", "r2");
		this.lua.redis.opsForZSet().add(QUEUE, FOREIGN, 0);

		this.lua.release("me", "r1");

		assertThat(this.lua.get(LOCK)).isEqualTo("you");
		assertThat(this.lua.queue()).isEmpty();
	}

	@Test
	void foreignTurnStartsWhenRedisIsOutOfMemory() {
		this.lua.acquire("me", "r1");
		waits("you", "r2");
		note(now(), 200, 0);

		this.lua.withFullMemory(() -> assertThat(this.lua.release("me", "r1")).isOne());

		assertThat(this.lua.redis.hasKey(LOCK)).isFalse();
		assertThat(until()).isPositive();
	}

	private void foreignHolds() {
		this.lua.redis.opsForValue().set(LOCK, "3f2a77", Duration.ofMinutes(1));
	}

	private List<Object> waits(String owner, String request) {
		List<Object> reply = this.lua.acquire(new Asker(owner, request).waitingAt(INBOX));
		assertThat(reply).first().isEqualTo(0L);
		return reply;
	}

	/**
	 * Set what the queue records about other programs.
	 */
	private void note(long due, long share, long until) {
		this.lua.redis.opsForZSet().add(QUEUE, FOREIGN, 0);
		this.lua.redis.opsForHash().put(WAITERS, FOREIGN, due + " " + share + " " + until);
	}

	/**
	 * Begin the turn again, because this machine may be slow.
	 */
	private void holdTheMoment() {
		note(now(), 200, now() + MOMENT);
	}

	private String noted() {
		return Objects.requireNonNull(this.lua.waiters().get(FOREIGN));
	}

	private long until() {
		return Long.parseLong(noted().split(" ")[2]);
	}

	/**
	 * Return the server's time in milliseconds.
	 */
	private long now() {
		RedisCallback<Long> time = (connection) -> connection.serverCommands().time();
		return Objects.requireNonNull(this.lua.redis.execute(time));
	}

}
