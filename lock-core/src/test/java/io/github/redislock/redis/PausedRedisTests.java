package io.github.redislock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.Instances.Served;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Redis pauses for half a second after a hand-over, as if it forked or its machine
 * stalled.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-1")
class PausedRedisTests {

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofSeconds(6))
		.waitTime(Duration.ofMinutes(1));

	/**
	 * The claim of a hand-over is counted from the last request of the next holder, here
	 * 400 ms earlier.
	 */
	@Test
	void pauseRightAfterAHandOverDoesNotEndALongLease() {
		try (Instances instances = new Instances()) {
			RedisLockTemplate holder = instances.start();
			RedisLockTemplate winner = instances.start();
			LockHandle other = holder.acquire(LockTarget.of("other"), PATIENT);
			CompletableFuture<Served> opensTheInbox = instances.queue(winner, "other", PATIENT);
			instances.awaitTold("other");
			other.close();
			Instances.get(opensTheInbox).lock().close();
			LockHandle held = holder.acquire(LockTarget.of("job"), PATIENT);
			CompletableFuture<Served> waiter = instances.queue(winner, "job", PATIENT);

			Instances.work(Duration.ofMillis(390));
			held.close();
			LockHandle lock = Instances.get(waiter).lock();
			instances.redis.command("CLIENT", "PAUSE", "500");
			Instances.work(Duration.ofSeconds(1));

			instances.requireNoLoss();
			assertThat(lock.isHeld()).isTrue();
		}
	}

}
