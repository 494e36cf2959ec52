package io.github.redislock.simulation.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.github.redislock.simulation.redis.StoredValue.Text;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests behaviour that a real server cannot be made to show in the
 * {@link DifferencesTests}.
 */
@NeedsLua
class SimulatedRedisTests {

	private final List<String> published = new ArrayList<>();

	private final LuaScripts lua = new LuaScripts();

	private long micros = 1_700_000_000_123_456L;

	private final SimulatedRedis redis = new SimulatedRedis(this.lua, () -> this.micros, new Channels() {

		@Override
		public int publish(String channel, String message) {
			SimulatedRedisTests.this.published.add(channel + ": " + message);
			return 2;
		}

		@Override
		public int subscribers(String channel) {
			return 3;
		}

	});

	@AfterEach
	void close() {
		this.lua.close();
	}

	@Test
	void keyExistsUntilTheEndOfItsExpiryMillisecond() {
		call("SET", "k", "v", "PX", "10");

		this.micros += 10_999 - 456;
		assertThat(call("PTTL", "k")).isEqualTo(0L);
		this.micros += 1;
		assertThat(call("PTTL", "k")).isEqualTo(-2L);
		assertThat(this.redis.keys()).isEmpty();
	}

	@Test
	void unreadExpiredKeyReappearsWhenTheClockGoesBack() {
		call("SET", "seen", "v", "PX", "10");
		call("SET", "unseen", "v", "PX", "10");

		this.micros += 20_000;
		call("GET", "seen");
		this.micros -= 20_000;

		assertThat(this.redis.keys()).containsOnlyKeys("unseen");
	}

	@Test
	void scriptReadsTheClock() {
		this.micros = 1_700_000_000_000_042L;

		assertThat(eval("return redis.call('TIME')")).isEqualTo(List.of("1700000000", "42"));
	}

	@Test
	void scriptPublishes() {
		assertThat(eval("return {redis.call('PUBLISH', 'c', 'm\\0ü'), redis.call('PUBSUB', 'NUMSUB', 'c')}"))
			.isEqualTo(List.of(2L, List.of("c", 3L)));
		assertThat(this.published).containsExactly("c: m\0\u00c3\u00bc");
	}

	@Test
	void scriptMayTouchOnlyItsKeys() {
		assertThatIllegalStateException().isThrownBy(() -> eval("redis.pcall('MGET', KEYS[1], 'other')", "k"))
			.withMessageContaining("other");
		assertThat(eval("return redis.call('MGET', KEYS[1])", "k")).isEqualTo(Arrays.asList((Object) null));
	}

	@Test
	void unknownCommandThrowsInsteadOfReplying() {
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> eval("pcall(redis.call, 'LPUSH', KEYS[1], 'v')", "k"));
	}

	@Test
	void fullMemoryRefusesOnlyTheFirstWriteOfAScript() {
		this.redis.memoryFull(true);

		assertThat(error("redis.call('SET', KEYS[1], 'v')", "k")).isEqualTo("OOM command not allowed when used memory >"
				+ " 'maxmemory'. script: ae433139a505f0c82775834cbdd33e133e687a33, on @user_script:1.");
		eval("redis.call('DEL', KEYS[1]); redis.call('SET', KEYS[1], 'v')", "k");

		assertThat(this.redis.keys()).containsOnlyKeys("k");
	}

	@Test
	void replicaRefusesEvenWritesThatNeedNoMemory() {
		this.redis.readOnly(true);

		assertThat(error("return redis.pcall('DEL', KEYS[1])", "k"))
			.isEqualTo("READONLY You can't write against a read only replica.");
		assertThat(call("EXISTS", "k")).isEqualTo(0L);
	}

	@Test
	void snapshotStaysUnchangedAndCanBeRestored() {
		call("SET", "k", "old", "PX", "50");
		Map<String, StoredKey> copy = this.redis.keys();
		call("SET", "k", "new");
		call("ZADD", "other", "1", "m");

		assertThat(copy).containsOnlyKeys("k");
		this.redis.restore(copy);

		assertThat(this.redis.keys()).isEqualTo(Map.of("k", new StoredKey(new Text("old"), this.micros / 1000 + 50)));
	}

	@Test
	void serversSharingALuaEngineHaveSeparateData() {
		SimulatedRedis other = new SimulatedRedis(this.lua, () -> this.micros, Channels.NONE);
		eval("redis.call('SET', KEYS[1], 'v')", "k");

		assertThat(other.keys()).isEmpty();
	}

	@Test
	void scriptHasNoGlobalsRandomNumbersOrSystemTime() {
		assertThat(error("leak = 1")).contains("Attempt to modify a readonly table");
		assertThat(error("return leak")).contains("Script attempted to access nonexistent global variable 'leak'");
		assertThat(error("return math.random()")).contains("attempt to call field 'random' (a nil value)");
		assertThat(error("return os.time()")).contains("nonexistent global variable 'os'");
	}

	private @Nullable Object call(String... words) {
		return readable(this.redis.call(bytes(words)));
	}

	private @Nullable Object eval(String source, String... keys) {
		return readable(this.redis.eval(source, bytes(keys), List.of()));
	}

	private String error(String source, String... keys) {
		try {
			throw new AssertionError("No error but " + eval(source, keys));
		}
		catch (ErrorReplyException ex) {
			return ex.text();
		}
	}

	private static List<byte[]> bytes(String... words) {
		return Arrays.stream(words).map((word) -> word.getBytes(StandardCharsets.ISO_8859_1)).toList();
	}

	private static @Nullable Object readable(@Nullable Object reply) {
		if (reply instanceof byte[] bytes) {
			return new String(bytes, StandardCharsets.ISO_8859_1);
		}
		if (reply instanceof List<?> items) {
			List<@Nullable Object> converted = new ArrayList<>();
			items.forEach((item) -> converted.add(readable(item)));
			return converted;
		}
		return reply;
	}

}
