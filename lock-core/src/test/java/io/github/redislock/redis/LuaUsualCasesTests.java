package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.redislock.redis.LuaScripts.Asker;
import io.github.redislock.testing.RedisServerExtension;
import org.junit.jupiter.api.AutoClose;
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
import static io.github.redislock.redis.LuaScripts.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests which cases of a contended lock the scripts handle before they define most of
 * their functions, with a real Redis. All other cases must not change anything there.
 */
@ExtendWith(RedisServerExtension.class)
class LuaUsualCasesTests {

	private static final String ASKS_AGAIN = "-";

	private static final Asker YOU = new Asker("you/r2", "r2").waitingAt(INBOX);

	private static final Asker SHE = new Asker("she/r3", "r3").waitingAt(INBOX);

	private static final Asker AGAIN = new Asker("me again/r4", "r4").waitingAt(INBOX);

	private final LuaScripts lua = new LuaScripts();

	private final LuaScripts brief = LuaScripts.onlyUsualCases();

	@AutoClose
	private final RecordingInbox inbox = new RecordingInbox(INBOX);

	@BeforeEach
	void hold() {
		this.lua.granted("me/r1", "r1");
	}

	/** They need no other functions for it. */
	@Test
	void usualCasesDoTheSameAsTheGeneralOnes() {
		assertThat(contended(this.brief)).isEqualTo(contended(LuaScripts.withoutUsualCases()));
	}

	/**
	 * Return all replies, keys and messages while a lock is handed over, without times
	 * and tokens.
	 */
	private List<String> contended(LuaScripts scripts) {
		this.lua.redis.delete(this.lua.keys());
		this.lua.granted("me/r1", "r1");
		this.lua.acquire(YOU);
		return Stream
			.<Supplier<Object>>of(() -> scripts.acquire(SHE), () -> scripts.release("me/r1", "r1"),
					() -> scripts.yield("you/r2", "r2", AGAIN.tokens(33)), () -> scripts.acquire(YOU.toldToAsk()),
					() -> scripts.releaseInACluster("she/r3", "r3"))
			.map((step) -> step.get() + " " + this.lua.state() + this.inbox.messages())
			.map((after) -> after.replaceAll("\\d[\\d.E]{4,}", "#"))
			.toList();
	}

	@Test
	void lateCopyOfARequestThatHasReleasedTheLockDoesNotWait() {
		Asker me = new Asker("me/r1", "r1").waitingAt(INBOX);
		this.lua.release("me/r1", "r1");
		this.lua.granted("you/r2", "r2");
		this.lua.acquire(SHE);
		this.lua.release("you/r2", "r2");

		assertThat(this.lua.acquire(me)).containsExactly(2L);
	}

	@Test
	void lateCopyOfAYieldDoesNotAcquireTheLockAgain() {
		this.lua.yield("me/r1", "r1", SHE);
		this.lua.release("she/r3", "r3");

		assertThat(this.lua.yield("me/r1", "r1", SHE)).endsWith(2L);

		assertThat(this.lua.get(LuaScripts.LOCK)).isNull();
	}

	@Test
	void unreachableWaiterIsPassedOverOnlyWhereReceiversAreCounted() {
		this.lua.acquire(new Asker("you/r2", "r2").waitingAt(GONE));

		assertThat(this.brief.releaseInACluster("me/r1", "r1")).isOne();

		assertThat(this.lua.holder()).isEqualTo("you/r2");
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource({ "unusualWaiters", "unusualReleases" })
	void unusualReleaseChangesNothing(String name, Consumer<LuaScripts> prepare) {
		prepare.accept(this.lua);

		assertUnusual(() -> this.brief.release("me/r1", "r1"));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource({ "unusualWaiters", "unusualReleases", "unusualRequests" })
	void unusualYieldChangesNothing(String name, Consumer<LuaScripts> prepare) {
		prepare.accept(this.lua);

		assertUnusual(() -> this.brief.yield("me/r1", "r1", AGAIN));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource({ "unusualReleases", "unusualRequests", "unusualHolders" })
	void unusualAcquisitionChangesNothing(String name, Consumer<LuaScripts> prepare) {
		prepare.accept(this.lua);

		assertUnusual(() -> this.brief.acquire(AGAIN));
	}

	@Test
	void furtherCasesChangeNothing() {
		this.lua.acquire(YOU);

		assertUnusual(() -> this.brief.releaseAfter(100, "me/r1", "r1"));
		assertUnusual(() -> this.brief.acquire("she/r3", "r3"));
		assertUnusual(() -> this.brief.acquire(SHE.inQuarantine(1)));
		assertUnusual(() -> this.brief.yield("me/r1", "r1", AGAIN.inQuarantine(1)));
		assertUnusual(() -> this.brief.acquire("me/r1", "r1"));
	}

	private void assertUnusual(Runnable attempt) {
		List<String> before = this.lua.state();
		LuaScripts.refused(attempt, LuaScripts.UNUSUAL);
		assertThat(this.lua.state()).isEqualTo(before);
	}

	@Test
	void queueIsKeptByTheFenceIfTheLockIsPassedOnAtTheEndOfThatTime() {
		this.lua.acquire(YOU);
		keepFenceUntil(this.lua, System.currentTimeMillis() + 1_000);

		assertThat(this.lua.yield("me/r1", "r1", AGAIN)).startsWith(1L, 0L, "you/r2").endsWith(1L);

		assertThat(this.lua.kept()).isGreaterThan(3_000);
		assertThat(this.lua.queue()).containsExactly("r4");
		assertThat(this.inbox.messages()).containsExactly("r2 - " + this.lua.token());
	}

	static Stream<Arguments> unusualWaiters() {
		return Stream.of(unusual("dead", (lua) -> {
			lua.acquire(YOU);
			lua.fallSilent(Duration.ofSeconds(4));
		}), unusual("has asked again", (lua) -> {
			lua.acquire(YOU);
			lua.acquire(YOU);
		}), unusual("has its own owner token", (lua) -> lua.acquire(new Asker("you", "r2").waitingAt(INBOX))),
				unusual("wants tokens ahead of the clock", (lua) -> lua.acquire(YOU.tokens(1_000_000))),
				unusual("of version 2", (lua) -> lua.redis.opsForZSet().add(QUEUE, "r2", 1)),
				unusual("unreachable", (lua) -> lua.acquire(new Asker("you/r2", "r2").waitingAt(GONE))),
				unusual("polls", (lua) -> lua.acquire(new Asker("you/r2", "r2").waitingAt(ASKS_AGAIN))),
				unusual("is told to ask", (lua) -> lua.acquire(YOU.toldToAsk())),
				unusual("wants to share", (lua) -> lua.share(YOU, 2)), unusual("none", (lua) -> {
				}));
	}

	static Stream<Arguments> unusualReleases() {
		return Stream.of(unusual("another holder", (lua) -> {
			lua.acquire(YOU);
			lua.redis.opsForValue().set(LOCK, "3f2a77", Duration.ofMinutes(1));
		}), unusual("free", (lua) -> {
			lua.acquire(YOU);
			lua.expire();
		}), unusual("one key", (lua) -> {
			lua.redis.delete(lua.keys());
			lua.taken("me/r1");
		}), unusual("the fence names the holder", (lua) -> {
			lua.redis.delete(lua.keys());
			lua.taken("me/r1");
			lua.acquire(YOU);
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
		}), unusual("no fence", (lua) -> {
			lua.acquire(YOU);
			lua.redis.delete(FENCE);
		}), unusual("the request waits already", (lua) -> lua.acquire(AGAIN)),
				unusual("the fence must be kept longer", (lua) -> {
					lua.acquire(YOU);
					keepFenceUntil(lua, System.currentTimeMillis() + 3_000);
				}), unusual("shared", (lua) -> {
					lua.release("me/r1", "r1");
					lua.shared("reader/r5", "r5", 2);
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
