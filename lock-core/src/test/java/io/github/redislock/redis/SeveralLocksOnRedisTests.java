package io.github.redislock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.SeveralLocksContract;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(RedisServerExtension.class)
@Tag("promise-12")
class SeveralLocksOnRedisTests extends SeveralLocksContract {

	private static final LockTarget BOTH = LockTarget.allOf(LockTarget.of("a"), LockTarget.of("b"));

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final StringRedisTemplate redis = new StringRedisTemplate(TestRedis.shared().connectionFactory());

	@Override
	protected LockStore createStore() {
		return RedisLockStore.create(TestRedis.shared().connectionFactory(), RedisLockStoreOptions.defaults());
	}

	@Test
	void foreignLockOnOneOfTheKeysExcludesAndIsExcluded() throws Exception {
		try (RedisLockTemplate locks = new RedisLockTemplate(TestRedis.shared().connectionFactory())) {
			LockHandle ours = locks.acquire(BOTH);
			assertThat(otherAcquires("b")).isFalse();
			ours.close();

			assertThat(otherAcquires("b")).isTrue();
			assertThat(locks.tryAcquire(BOTH)).isNull();
			CompletableFuture<LockHandle> waiter = CompletableFuture.supplyAsync(() -> {
				LockHandle lock = locks.acquire(BOTH,
						LockOptions.options().waitTime(MINUTE).retryDelay(Duration.ofMillis(20)));
				lock.detach();
				return lock;
			}, OwnThread::run);
			this.redis.delete("distributed_lock:b");
			waiter.get(20, TimeUnit.SECONDS).close();
			assertThat(this.redis.keys("distributed_lock:*")).isEmpty();
		}
	}

	private boolean otherAcquires(String name) {
		return Boolean.TRUE.equals(this.redis.opsForValue().setIfAbsent("distributed_lock:" + name, "3f2a77", MINUTE));
	}

}
