package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.redislock.redis.LuaScripts.Asker;
import io.github.redislock.testing.RedisServerExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.redislock.redis.LuaScripts.CANCEL;
import static io.github.redislock.redis.LuaScripts.FENCE;
import static io.github.redislock.redis.LuaScripts.GONE;
import static io.github.redislock.redis.LuaScripts.INBOX;
import static io.github.redislock.redis.LuaScripts.LOCK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests which cases of a contended lock the scripts handle before they define most of
 * their functions, with a real Redis. All other cases must not change anything there.
 */
@ExtendWith(RedisServerExtension.class)
class LuaUsualCasesTests {

	private static final String ASKS_AGAIN = "-";

	private static final Asker YOU = new Asker("you", "r2").waitingAt(INBOX);

	private static final Asker SHE = new Asker("she", "r3").waitingAt(INBOX);

	private static final Asker AGAIN = new Asker("me again", "r4").waitingAt(INBOX);

	private final LuaScripts lua = new LuaScripts();

	private final LuaScripts brief = LuaScripts.onlyUsualCases();

	private final RecordingInbox inbox = new RecordingInbox(INBOX);

	@BeforeEach
	void hold() {
		this.lua.granted("me", "r1");
	}

	@AfterEach
	void close() {
		this.inbox.close();
	}

	@Test
	void usualCasesNeedNoOtherFunctions() {
		this.lua.acquire(YOU);

		assertThat(this.brief.acquire(SHE)).startsWith(0L, "me").endsWith(2L);
		assertThat(this.brief.acquire(YOU)).as("heartbeat").startsWith(0L, "me").endsWith(2L);
		assertThat(this.brief.release("me", "r1")).isOne();
		assertThat(this.lua.get(LOCK)).isEqualTo("you");
		assertThat(this.brief.yield("you", "r2", AGAIN)).startsWith(1L, 0L, "she").endsWith(1L);
		assertThat(this.brief.releaseInACluster("she", "r3")).isOne();

		assertThat(this.lua.get(LOCK)).isEqualTo("me again");
		assertThat(this.inbox.messages()).hasSize(3);
	}

	@Test
	void unreachableWaiterIsPassedOverOnlyWhereReceiversAreCounted() {
		this.lua.acquire(new Asker("you", "r2").waitingAt(GONE));

		assertThat(this.brief.releaseInACluster("me", "r1")).isOne();

		assertThat(this.lua.get(LOCK)).isEqualTo("you");
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource({ "unusualWaiters", "unusualReleases" })
	void unusualReleaseChangesNothing(String name, Consumer<LuaScripts> prepare) {
		prepare.accept(this.lua);
		List<String> before = this.lua.state();

		LuaScripts.refused(() -> this.brief.release("me", "r1"), LuaScripts.UNUSUAL);

		assertThat(this.lua.state()).isEqualTo(before);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource({ "unusualWaiters", "unusualReleases", "unusualRequests" })
	void unusualYieldChangesNothing(String name, Consumer<LuaScripts> prepare) {
		prepare.accept(this.lua);
		List<String> before = this.lua.state();

		LuaScripts.refused(() -> this.brief.yield("me", "r1", AGAIN), LuaScripts.UNUSUAL);

		assertThat(this.lua.state()).isEqualTo(before);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource({ "unusualReleases", "unusualRequests", "unusualHolders" })
	void unusualAcquisitionChangesNothing(String name, Consumer<LuaScripts> prepare) {
		prepare.accept(this.lua);
		List<String> before = this.lua.state();

		LuaScripts.refused(() -> this.brief.acquire(AGAIN), LuaScripts.UNUSUAL);

		assertThat(this.lua.state()).isEqualTo(before);
	}

	@Test
	void furtherCasesChangeNothing() {
		this.lua.acquire(YOU);
		List<String> before = this.lua.state();

		for (Runnable attempt : List.<Runnable>of(() -> this.brief.releaseAfter(100, "me", "r1"),
				() -> this.brief.acquire("she", "r3"), () -> this.brief.acquire(SHE.inQuarantine(1)),
				() -> this.brief.yield("me", "r1", AGAIN.inQuarantine(1)), () -> this.brief.acquire("me", "r1"))) {
			LuaScripts.refused(attempt, LuaScripts.UNUSUAL);
		}

		assertThat(this.lua.state()).isEqualTo(before);
	}

	@Test
	void queueIsKeptByTheFenceIfTheLockIsPassedOnAtTheEndOfThatTime() {
		this.lua.acquire(YOU);
		keepFenceUntil(this.lua, System.currentTimeMillis() + 1_000);

		assertThat(this.lua.yield("me", "r1", AGAIN)).startsWith(1L, 0L, "you").endsWith(1L);

		assertThat(this.lua.kept()).isGreaterThan(3_000);
		assertThat(this.lua.queue()).containsExactly("r4");
		assertThat(this.inbox.messages()).containsExactly("r2 0 " + this.lua.token());
	}

	static Stream<Arguments> unusualWaiters() {
		return Stream.of(unusual("dead", (lua) -> {
			lua.acquire(YOU);
			lua.fallSilent(Duration.ofSeconds(4));
		}), unusual("unreachable", (lua) -> lua.acquire(new Asker("you", "r2").waitingAt(GONE))),
				unusual("polls", (lua) -> lua.acquire(new Asker("you", "r2").waitingAt(ASKS_AGAIN))),
				unusual("is told to ask", (lua) -> lua.acquire(YOU.toldToAsk())),
				unusual("wants to share", (lua) -> lua.share(YOU, 2)), unusual("none", (lua) -> {
				}));
	}

	static Stream<Arguments> unusualReleases() {
		return Stream.of(unusual("no fence", (lua) -> {
			lua.acquire(YOU);
			lua.redis.delete(FENCE);
		}), unusual("another holder", (lua) -> {
			lua.acquire(YOU);
			lua.redis.opsForValue().set(LOCK, "3f2a77", Duration.ofMinutes(1));
		}), unusual("free", (lua) -> {
			lua.acquire(YOU);
			lua.expire();
		}), unusual("one key", (lua) -> {
			lua.redis.delete(lua.keys());
			lua.taken("pod-1/r1");
		}));
	}

	static Stream<Arguments> unusualRequests() {
		return Stream.of(unusual("withdrawn", (lua) -> {
			lua.acquire(YOU);
			lua.redis.opsForValue().set(CANCEL + "r4", "1", Duration.ofMinutes(1));
		}));
	}

	static Stream<Arguments> unusualHolders() {
		return Stream.of(unusual("no queue", (lua) -> {
		}), unusual("the fence must be kept longer", (lua) -> {
			lua.acquire(YOU);
			keepFenceUntil(lua, System.currentTimeMillis() + 3_000);
		}), unusual("shared", (lua) -> {
			lua.release("me", "r1");
			lua.shared("reader", "r5", 2);
			lua.acquire(YOU);
		}));
	}

	private static void keepFenceUntil(LuaScripts lua, long millis) {
		String fence = lua.get(FENCE);
		assertThat(fence).isNotNull();
		lua.redis.opsForValue()
			.set(FENCE, fence.replaceFirst("^(\\d+ \\d+) \\d+", "$1 " + millis), Duration.ofMinutes(1));
	}

	private static Arguments unusual(String name, Consumer<LuaScripts> prepare) {
		return arguments(name, prepare);
	}

}
