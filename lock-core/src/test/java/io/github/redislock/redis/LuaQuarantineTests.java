package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;

import io.github.redislock.redis.LuaScripts.Asker;
import io.github.redislock.testing.RedisServerExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static io.github.redislock.redis.LuaScripts.LOCK;
import static io.github.redislock.redis.LuaScripts.SINCE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A Redis without data grants nothing for a while.
 */
@ExtendWith(RedisServerExtension.class)
class LuaQuarantineTests {

	private static final long QUARANTINE = 100_000;

	private final LuaScripts lua = new LuaScripts();

	private final Asker asker = new Asker("me", "r1").inQuarantine(QUARANTINE);

	@Test
	void emptyRedisGrantsNoLock() {
		long left = refused(this.asker);

		assertThat(left).isEqualTo(QUARANTINE);
		assertThat(this.lua.keys()).containsExactly(SINCE);
		assertThat(this.lua.timeToLive(SINCE)).isEqualTo(-1);
		assertThat(refused(this.asker)).isBetween(QUARANTINE - 50_000, QUARANTINE);
	}

	@Test
	void noCallerIsQueuedDuringQuarantine() {
		refused(this.asker.waitingAt("nobody"));

		assertThat(this.lua.keys()).containsExactly(SINCE);
	}

	@Test
	void locksAreGrantedAfterTheQuarantine() {
		since(Duration.ofMillis(QUARANTINE).negated());

		assertThat(this.lua.acquire(this.asker)).first().isEqualTo(1L);
		assertThat(this.lua.get(LOCK)).isEqualTo("me");
	}

	@Test
	void everyCallerUsesItsOwnQuarantine() {
		since(Duration.ofSeconds(-50));

		assertThat(refused(this.asker)).isBetween(1L, 50_000L);
		assertThat(this.lua.acquire(new Asker("short", "r2").inQuarantine(10_000))).first().isEqualTo(1L);
		assertThat(refused(this.asker)).as("whoever has it").isBetween(1L, 50_000L);
	}

	@Test
	void callerWithoutAQuarantineIsGrantedAFreeLock() {
		assertThat(this.lua.acquire("me", "r1")).first().isEqualTo(1L);
		assertThat(this.lua.get(SINCE)).isNull();
	}

	@Test
	void clockThatWentBackRestartsTheQuarantine() {
		since(Duration.ofHours(5));

		assertThat(refused(this.asker)).isEqualTo(QUARANTINE);
		assertThat(refused(this.asker)).isLessThanOrEqualTo(QUARANTINE);
	}

	@Test
	void corruptStartTimeRestartsTheQuarantine() {
		this.lua.redis.opsForValue().set(SINCE, "spoilt");

		assertThat(refused(this.asker)).isEqualTo(QUARANTINE);
		assertThat(this.lua.get(SINCE)).containsOnlyDigits();
	}

	@Test
	void heldLockCanBeRenewedAndReleasedDuringQuarantine() {
		this.lua.acquire("holder", "r0");
		refused(this.asker);

		assertThat(this.lua.renew("holder", 60_000)).isEqualTo(1);
		assertThat(this.lua.release("holder", "r0")).isEqualTo(1);
		assertThat(this.lua.get(LOCK)).isNull();
	}

	@Test
	void yieldReleasesTheLockWithoutANewGrant() {
		this.lua.acquire("holder", "r0");

		List<Object> reply = this.lua.yield("holder", "r0", this.asker.waitingAt("nobody"));

		assertThat(reply).isEqualTo(List.of(1L, 4L, QUARANTINE));
		assertThat(this.lua.get(LOCK)).isNull();
		assertThat(this.lua.queue()).isEmpty();
	}

	@Test
	void yieldHandsOverToAnExistingWaiter() {
		this.lua.acquire("holder", "r0");
		this.lua.acquire(new Asker("you", "r2").waitingAt("-"));

		assertThat(this.lua.yield("holder", "r0", this.asker)).startsWith(1L, 4L);

		assertThat(this.lua.get(LOCK)).isEqualTo("you");
	}

	@Test
	void releaseOfALockThatRedisForgotReportsLoss() {
		refused(this.asker);

		assertThat(this.lua.release("old holder", "r0")).isZero();
		assertThat(this.lua.renew("old holder", 60_000)).isZero();
		assertThat(this.lua.yield("old holder", "r0", this.asker)).startsWith(0L, 4L);
		assertThat(this.lua.forceRelease()).isZero();
	}

	private long refused(Asker asker) {
		List<Object> reply = this.lua.acquire(asker);
		assertThat(reply).hasSize(2).first().isEqualTo(4L);
		return (Long) reply.get(1);
	}

	/**
	 * Make Redis appear to have had data for some time, or to have it only in the future.
	 */
	private void since(Duration distance) {
		long now = System.currentTimeMillis() + distance.toMillis();
		this.lua.redis.opsForValue().set(SINCE, Long.toString(now));
	}

}
