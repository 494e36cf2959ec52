package io.github.redislock.redis;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.redis.Instances.Served;
import io.github.redislock.testing.DocumentedCode;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A lock of one process is resumed by another that knows its owner token. Also covers the
 * case that both processes are alive.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-resuming-a-lock")
class ResumedLockTests {

	private static final LockTarget LOCK = LockTarget.of("job");

	private static final String JOB = "job-17";

	/** Redis must reply within a sixth of this lease, even on a machine that stalls. */
	private static final Duration LEASE = Duration.ofSeconds(6);

	private static final LockOptions RESUMED = LockOptions.options().timeout(LEASE).owner(JOB).retry(0);

	private static final LockOptions ONCE = LockOptions.options().retry(0);

	@AutoClose
	private final Instances instances = new Instances();

	private final RedisLockTemplate locks = this.instances.start();

	@Test
	void lockOfACrashedProcessIsResumedImmediatelyAndRenewed() {
		String line = heldByAProcessThatDied("job");

		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.locks.acquire(LOCK, ONCE));
		LockHandle resumed = this.locks.acquire(LOCK, RESUMED);

		assertThat(line).as("the same grant").isEqualTo("acquired job " + resumed.fencingToken());
		Instances.await("renewal with our lease").until(() -> this.instances.timeToLive("job") < 2 * LEASE.toMillis());
		long renewed = System.nanoTime();
		Instances.await("a whole lease later")
			.until(() -> System.nanoTime() - renewed > LEASE.plusMillis(500).toNanos());
		assertThat(resumed.verify()).isTrue();
		assertThat(resumed.release()).isEqualTo(ReleaseOutcome.RELEASED);
		try (LockHandle next = this.instances.start().acquire(LOCK, ONCE)) {
			assertThat(next.fencingToken()).isGreaterThan(resumed.fencingToken());
		}
	}

	@Test
	void resumingCallerPrecedesAllWaitersAndHandsOverToThem() {
		heldByAProcessThatDied("job");
		CompletableFuture<Served> waiter = this.instances.queue(this.instances.start(), "job", Instances.PATIENT);

		LockHandle resumed = this.locks.acquire(LOCK, RESUMED);

		assertThat(waiter).isNotDone();
		resumed.close();
		Instances.get(waiter).lock().close();
	}

	/**
	 * The danger of a token with two users: they do not exclude each other, and the
	 * release of one ends the hold of the other.
	 */
	@Test
	void twoHoldersWithOneTokenShareOneHold() {
		LockHandle first = this.locks.acquire(LOCK, RESUMED);
		LockHandle second = this.instances.start().acquire(LOCK, RESUMED);
		assertThat(List.of(first.verify(), second.verify())).containsExactly(true, true);
		assertThat(second.fencingToken()).isEqualTo(first.fencingToken());

		assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);

		assertThat(this.locks.isLocked(LOCK)).isFalse();
		assertThat(second.verify()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(second::close);
	}

	@Test
	void livingFirstHolderDetectsTheLossAtItsNextRenewal() {
		LockHandle first = this.locks.acquire(LOCK, RESUMED);
		AtomicBoolean told = new AtomicBoolean();
		first.onLost(() -> told.set(true));
		LockHandle second = this.instances.start().acquire(LOCK, RESUMED);

		assertThat(second.release()).isEqualTo(ReleaseOutcome.RELEASED);

		Instances.await("loss").untilTrue(told);
		assertThat(first.isHeld()).isFalse();
		assertThat(first.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
	}

	@Test
	void exampleContinuesWhereTheFirstProcessStopped() {
		heldByAProcessThatDied("import");
		List<String> done = new ArrayList<>();
		ResumableImport example = new ResumableImport(this.locks, new ResumableImport.Catalogue() {

			@Override
			public void importAll(LockHandle lock) {
				done.add("all");
			}

			@Override
			public void importRest(LockHandle lock) {
				done.add("rest, " + lock.owner() + " " + lock.verify());
			}

		});

		example.resume(JOB);
		example.run("job-18");

		assertThat(done).containsExactly("rest, job-17 true", "all");
	}

	@Test
	void pageExamplesMatchCompiledCode() throws IOException {
		DocumentedCode code = DocumentedCode.in(Path.of("..", "docs", "guide", "resuming.md"));

		assertThat(code.size()).isPositive();
		assertThat(code.notFoundIn(Path.of("src", "test", "java"))).isEmpty();
	}

	/**
	 * Let another process take a lock under the token, and die.
	 * @return the line in which it reported the lock
	 */
	private String heldByAProcessThatDied(String name) {
		try (WorkerProcess worker = WorkerProcess.start(this.instances.redis.port())) {
			worker.order(String.join(" ", name, "60000", "600000", JOB));
			return worker.awaitLine("acquired " + name);
		}
	}

}
