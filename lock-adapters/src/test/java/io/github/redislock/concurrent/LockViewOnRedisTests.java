package io.github.redislock.concurrent;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockStoreException;
import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.engine.LockTemplate;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(RedisServerExtension.class)
class LockViewOnRedisTests extends LockViewContract {

	/** For a busy machine. */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	@Override
	protected LockTemplate start() {
		RedisLockStoreOptions options = RedisLockStoreOptions.defaults().commandTimeout(PATIENCE);
		return new RedisLockTemplate(RedisLockStore.create(TestRedis.shared().connectionFactory(), options),
				LockConfiguration.defaults());
	}

	@Test
	void tryLockThrowsDuringAnOutage() {
		LettuceConnectionFactory down = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", RedisProcess.freePort()));
		down.afterPropertiesSet();
		down.start();
		try (LockTemplate locks = new RedisLockTemplate(down)) {
			LockView lock = new LockView(locks, "stock");
			long begin = System.nanoTime();

			assertThatExceptionOfType(LockStoreException.class).isThrownBy(lock::tryLock);
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS));

			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
		}
		finally {
			down.destroy();
		}
	}

}
