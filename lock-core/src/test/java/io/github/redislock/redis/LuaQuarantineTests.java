package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;

import io.github.redislock.redis.LuaScripts.Asker;
import io.github.redislock.testing.RedisServerExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
	void emptyRedisGrantsNoLockAndQueuesNoCaller() {
		long left = refused(this.asker);

		assertThat(left).isEqualTo(QUARANTINE);
		assertThat(refused(this.asker.waitingAt("nobody"))).isBetween(QUARANTINE - 50_000, QUARANTINE);
		assertThat(this.lua.share(this.asker.waitingAt("nobody"), 3)).startsWith(4L);
		assertThat(new LuaSeveralScripts().acquire("ab", this.asker.waitingAt("nobody"))).startsWith(4L);
		assertThat(this.lua.keys()).containsExactly(SINCE);
		assertThat(this.lua.timeToLive(SINCE)).isEqualTo(-1);
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

	@ParameterizedTest
	@ValueSource(strings = { "spoilt", "9999999999999" })
	void corruptOrFutureStartTimeRestartsTheQuarantine(String since) {
		this.lua.redis.opsForValue().set(SINCE, since);

		assertThat(refused(this.asker)).isEqualTo(QUARANTINE);
		assertThat(this.lua.get(SINCE)).containsOnlyDigits();
		assertThat(refused(this.asker)).isLessThanOrEqualTo(QUARANTINE);
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
		assertThat(this.lua.yield("old holder", "r1", this.asker)).as("not the holder").startsWith(0L, 4L);
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
