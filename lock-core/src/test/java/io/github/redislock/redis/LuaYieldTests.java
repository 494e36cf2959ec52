package io.github.redislock.redis;

import java.util.List;
import java.util.stream.Stream;

import io.github.redislock.redis.LuaScripts.Asker;
import io.github.redislock.testing.RedisServerExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static io.github.redislock.redis.LuaScripts.GONE;
import static io.github.redislock.redis.LuaScripts.INBOX;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests how a lock is yielded to the next instance and requested again, with a real
 * Redis.
 */
@ExtendWith(RedisServerExtension.class)
@Tag("promise-3")
class LuaYieldTests {

	private static final Asker AGAIN = new Asker("me again/r2", "r2").waitingAt(INBOX).tokens(32).askedAt(7);

	private final LuaScripts lua = scripts();

	private final RecordingInbox inbox = new RecordingInbox(INBOX);

	LuaScripts scripts() {
		return new LuaScripts();
	}

	@AfterEach
	void close() {
		this.inbox.close();
	}

	@Test
	void lockGoesToTheFirstWaiterAndTheYielderQueuesLast() {
		this.lua.acquire("me/r1", "r1");
		waits("you/r3", "r3", INBOX);
		waits("she/r4", "r4", INBOX);

		List<Object> reply = this.lua.yield("me/r1", "r1", AGAIN);

		assertThat(reply).isEqualTo(List.of(1L, 0L, "you/r3", Asker.CLAIM, this.lua.token(), 2L));
		assertThat(this.lua.grant()).endsWith(" r3 r1 you/r3");
		assertThat(this.lua.queue()).containsExactly("r4", "r2");
		assertThat(this.lua.entries()).last().isEqualTo("r2 30000 32 " + INBOX + " me again/r2");
		assertThat(this.inbox.messages()).containsExactly("r3 - " + this.lua.token());
	}

	@Test
	void lockIsGrantedAgainIfNoWaiterIsReachable() {
		this.lua.acquire("me/r1", "r1");
		waits("gone/r3", "r3", GONE);
		waits("gone too/r4", "r4", GONE);

		assertThat(this.lua.yield("me/r1", "r1", AGAIN)).isEqualTo(List.of(1L, 1L, this.lua.token()));

		assertThat(this.lua.grant()).endsWith(" 32 r2 r1 me again/r2");
		assertThat(this.lua.queue()).containsExactly("r3", "r4");
		assertThat(this.inbox.messages()).isEmpty();
	}

	@Test
	void unreachableWaiterIsNotPassedOverInACluster() {
		this.lua.acquire("me/r1", "r1");
		waits("you/r3", "r3", GONE);

		assertThat(this.lua.yield("me/r1", "r1", AGAIN.inACluster())).startsWith(1L, 0L, "you/r3");
	}

	@Test
	void tokensGrowWithEveryYield() {
		this.lua.acquire("me/r0", "r0");

		List<Long> tokens = Stream.iterate(0, (turn) -> turn + 1).limit(20).map((turn) -> {
			this.lua.yield("me/r" + turn, "r" + turn,
					new Asker("me/r" + (turn + 1), "r" + (turn + 1)).tokens(100_000_000));
			return this.lua.token();
		}).toList();

		assertThat(tokens).hasSize(20);
		for (int turn = 1; turn < tokens.size(); turn++) {
			assertThat(tokens.get(turn) - tokens.get(turn - 1)).as("past the block")
				.isGreaterThanOrEqualTo(100_000_000);
		}
	}

	private void waits(String owner, String request, String channel) {
		assertThat(this.lua.acquire(new Asker(owner, request).waitingAt(channel))).first().isEqualTo(0L);
	}

}
