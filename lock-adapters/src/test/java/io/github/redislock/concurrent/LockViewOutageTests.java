package io.github.redislock.concurrent;

import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Redis fails while a view waits for its lock or holds it.
 */
@NeedsRedisServer
@Tag("fault")
class LockViewOutageTests {

	private final RedisProcess redis = RedisProcess.start();

	private final LockTemplate locks = new RedisLockTemplate(this.redis.connectionFactory());

	private final LockView lock = new LockView(this.locks, "stock");

	@AfterEach
	void close() {
		this.locks.close();
		this.redis.close();
	}

	@Test
	void lockWaitsUntilTheStoreIsBack() throws Exception {
		this.locks.acquire(LockTarget.of("warm-up"), LockOptions.options().waitTime(Duration.ofSeconds(30))).close();
		this.redis.kill();
		FutureTask<Boolean> waiter = new FutureTask<>(() -> {
			this.lock.lock();
			boolean held = this.lock.handle().isHeld();
			this.lock.unlock();
			return held;
		});
		new Thread(waiter).start();
		Awaitility.await().during(Duration.ofSeconds(1)).atMost(Duration.ofSeconds(10)).until(() -> !waiter.isDone());

		this.redis.restart();

		assertThat(waiter.get(30, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void unlockDoesNotFailDuringAnOutage() {
		// The first connection may be slow.
		this.lock.lock();
		this.redis.kill();

		assertThatNoException().isThrownBy(this.lock::unlock);

		this.redis.restart();
	}

}
