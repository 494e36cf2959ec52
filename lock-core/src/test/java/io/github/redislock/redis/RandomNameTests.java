package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;

import io.github.redislock.LockHandle;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Any text either names a distinct lock or is refused before a request is sent.
 */
@ExtendWith(RedisServerExtension.class)
@Tag("promise-11")
class RandomNameTests {

	private static final int NAMES = Effort.of(1_000, 10_000);

	private final Random random = new Random(42);

	private final StringRedisTemplate redis = new StringRedisTemplate(TestRedis.shared().connectionFactory());

	@Test
	void everyNameIsUsedUnchangedOrRefused() {
		int accepted = 0;
		try (RedisLockTemplate locks = new RedisLockTemplate(TestRedis.shared().connectionFactory())) {
			for (int i = 0; i < NAMES; i++) {
				String name = name();
				if (isUsable(name)) {
					assertLocked(locks, name);
					accepted++;
				}
				else {
					assertThatIllegalArgumentException().as(escaped(name))
						.isThrownBy(() -> locks.acquire(LockTarget.of(name)));
				}
			}
		}
		assertThat(accepted).isBetween(NAMES / 4, NAMES * 3 / 4);
	}

	private void assertLocked(RedisLockTemplate locks, String name) {
		String key = "distributed_lock:" + name;
		try (LockHandle lock = locks.acquire(LockTarget.of(name))) {
			assertThat(locks.inspect(LockTarget.of(name))).as(escaped(name)).hasValueSatisfying((state) -> {
				assertThat(state.name()).isEqualTo(name);
				assertThat(state.owner()).isEqualTo(lock.owner());
			});
			assertThat(this.redis.opsForValue().get(key)).as(escaped(name)).isEqualTo(FaultyNetwork.quick(lock));
		}
		assertThat(this.redis.hasKey(key)).as(escaped(name)).isFalse();
	}

	/**
	 * Checks names independently of the library.
	 */
	private static boolean isUsable(String name) {
		byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
		return !name.isBlank() && bytes.length <= LockTarget.MAX_NAME_BYTES
				&& new String(bytes, StandardCharsets.UTF_8).equals(name)
				&& !name.matches("(?s).*[\\p{Cc}\\u2028\\u2029].*");
	}

	private String name() {
		int length = (this.random.nextInt(20) == 0) ? 200 + this.random.nextInt(400) : this.random.nextInt(12);
		List<IntSupplier> common = List.of(() -> 0x20 + this.random.nextInt(0x5F),
				() -> "{}:%*?[]\\'\"".charAt(this.random.nextInt(11)), () -> 0xA0 + this.random.nextInt(0x1F00));
		List<IntSupplier> rare = List.of(() -> this.random.nextInt(0x20), () -> 0x2026 + this.random.nextInt(6),
				() -> 0xD7FC + this.random.nextInt(0x808), () -> 0x10000 + this.random.nextInt(0x100000),
				() -> 0xFFF8 + this.random.nextInt(8));
		StringBuilder name = new StringBuilder();
		for (int i = 0; i < length; i++) {
			name.appendCodePoint(pick((this.random.nextInt(6) == 0) ? rare : common).getAsInt());
		}
		return name.toString();
	}

	private IntSupplier pick(List<IntSupplier> kinds) {
		return kinds.get(this.random.nextInt(kinds.size()));
	}

	private static String escaped(String name) {
		StringBuilder text = new StringBuilder();
		name.chars().forEach((character) -> text.append("\\u%04X".formatted(character)));
		return text.toString();
	}

}
