package io.github.redislock.fencing;

import java.util.UUID;

import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@ExtendWith(RedisServerExtension.class)
@Tag("promise-4")
class RedisFenceTests {

	private final StringRedisTemplate keys = new StringRedisTemplate(TestRedis.shared().connectionFactory());

	private final RedisFence fence = new RedisFence(TestRedis.shared().connectionFactory());

	private final String key = "price:" + UUID.randomUUID();

	@Test
	void valueOfAGreaterOrEqualTokenIsSet() {
		this.fence.set(this.key, "unfenced", 0);
		assertThat(value()).isEqualTo("unfenced");

		this.fence.set(this.key, "first", 9);
		this.fence.set(this.key, "second", 10);
		this.fence.set(this.key, "third", 10);

		assertThat(value()).isEqualTo("third");
	}

	@Test
	void valueOfASmallerTokenIsRejected() {
		this.fence.set(this.key, "new", 10);

		assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> this.fence.set(this.key, "old", 9))
			.satisfies((stale) -> {
				assertThat(stale.getResource()).isEqualTo(this.key);
				assertThat(stale.getToken()).isEqualTo(9);
				assertThat(stale.getNewestToken()).isEqualTo(10);
			});
		assertThat(value()).isEqualTo("new");
	}

	@Test
	void tokensBeyondLuaNumberPrecisionAreDistinguished() {
		this.fence.set(this.key, "new", Long.MAX_VALUE);

		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.fence.set(this.key, "old", Long.MAX_VALUE - 1));
		assertThatIllegalArgumentException().isThrownBy(() -> this.fence.set(this.key, "old", -1));
	}

	@Test
	void tokenIsStoredInTheSlotOfItsValue() {
		this.fence.set(this.key, "value", 1);
		this.fence.set("{" + this.key + "}:tagged", "value", 1);
		this.fence.set(this.key + "{}", "value", 1);

		assertThat(this.keys.hasKey("{" + this.key + "}:fence")).isTrue();
		assertThat(this.keys.hasKey("{" + this.key + "}:tagged:fence")).isTrue();
		assertThat(this.keys.hasKey("{" + this.key + "{}}:fence")).as("an empty hash tag is none").isTrue();
	}

	private @Nullable String value() {
		return this.keys.opsForValue().get(this.key);
	}

}
