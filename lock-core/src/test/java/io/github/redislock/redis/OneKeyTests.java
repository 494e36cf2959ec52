package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lock is one key until another instance waits for it. Then it has several keys.
 */
@NeedsRedisServer
class OneKeyTests {

	private static final LockOptions PATIENT = LockOptions.options().waitTime(Duration.ofMinutes(1));

	private RedisProcess redis;

	private RedisLockTemplate locks;

	private RedisLockTemplate others;

	@BeforeEach
	void start() {
		this.redis = RedisProcess.start();
		this.locks = new RedisLockTemplate(this.redis.connectionFactory());
		this.others = new RedisLockTemplate(this.redis.connectionFactory());
		this.locks.acquire(LockTarget.of("warm-up"), PATIENT).close();
		this.others.acquire(LockTarget.of("warm-up"), PATIENT).close();
	}

	@AfterEach
	void stop() {
		this.locks.close();
		this.others.close();
		this.redis.close();
	}

	@Test
	void heldLockUsesOneKeyAndAReleasedLockUsesNone() {
		List<LockHandle> held = List.of(this.locks.acquire(LockTarget.of("a")), this.locks.acquire(LockTarget.of("b")),
				this.others.acquire(LockTarget.of("c")));

		assertThat(keys()).containsExactlyInAnyOrder(FaultyNetwork.key("a"), FaultyNetwork.key("b"),
				FaultyNetwork.key("c"));
		assertThat(held).allMatch((lock) -> lock.release() == ReleaseOutcome.RELEASED);
		assertThat(keys()).isEmpty();
	}

	@Test
	void callerThatDoesNotWaitSendsOneRequestAndLeavesTheLockUnchanged() {
		try (LockHandle held = this.locks.acquire(LockTarget.of("job"))) {
			long before = this.redis.commandCounts().get("evalsha");

			assertThat(this.others.tryAcquire(LockTarget.of("job"))).isNull();

			assertThat(this.redis.commandCounts().get("evalsha") - before).isEqualTo(1);
			assertThat(this.redis.command("GET", FaultyNetwork.key("job"))).isEqualTo(FaultyNetwork.quick(held));
		}
	}

	/**
	 * The thread that receives the grant sends the release after the next request.
	 */
	@Test
	void callerThatDoesNotWaitForItsReleaseIsNotRefusedByItself() {
		AsyncLockOperations async = this.locks.async(Runnable::run);
		CompletableFuture<@Nullable AsyncLockHandle> last = async.tryAcquire(LockTarget.of("job"));

		for (int turn = 0; turn < 100; turn++) {
			last = last.thenCompose((lock) -> {
				assertThat(lock).isNotNull();
				lock.release();
				return async.tryAcquire(LockTarget.of("job"));
			});
		}

		assertThat(last.orTimeout(30, TimeUnit.SECONDS).join()).isNotNull();
	}

	@Test
	void releaseReportsThatTheLockIsGone() {
		// A separate name: the message about a forced release also reaches an instance
		// that acquires the same lock a moment later, and makes it send one more request,
		// with the general script.
		lost("forced", (key) -> this.others.forceRelease(LockTarget.of("forced")));
		lost("deleted", (key) -> this.redis.command("DEL", key));
		lost("flushed", (key) -> this.redis.command("FLUSHALL"));
		lost("overwritten", (key) -> this.redis.command("SET", key, "3f2a77", "PX", "60000"));
	}

	private void lost(String name, Consumer<String> loss) {
		LockHandle lock = this.locks.acquire(LockTarget.of(name));

		loss.accept(FaultyNetwork.key(name));

		assertThat(lock.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
	}

	private List<Object> keys() {
		return new ArrayList<>((List<?>) this.redis.command("KEYS", "*"));
	}

}
