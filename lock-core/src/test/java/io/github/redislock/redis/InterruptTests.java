package io.github.redislock.redis;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.github.redislock.LockHandle;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.testing.NeedsRedisServer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * A thread is interrupted while it uses a lock.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-6")
class InterruptTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	/** Longer than any of these tests, so a wait that ends earlier was cancelled. */
	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(30);

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofMinutes(5))
		.waitTime(Duration.ofSeconds(30));

	@AutoClose
	private FaultyNetwork network;

	@ParameterizedTest
	@EnumSource(Route.class)
	void interruptedWaiterStopsWaitingAndIsNotGrantedTheLockLater(Route route) {
		open(route);
		// With an explicit owner token, so that it is not passed on to the waiter within
		// the instance.
		LockHandle held = this.network.locks.acquire(LockTarget.of("job"), PATIENT.owner("somebody-else"));
		Caller<LockHandle> caller = new Caller<>(() -> this.network.locks.acquire(LockTarget.of("job"), PATIENT));
		long callsBefore = this.network.scriptCalls();
		Awaitility.await("waiter has asked").until(() -> this.network.scriptCalls() > callsBefore + 1);

		caller.interrupt();

		assertThat(caller.failure()).isInstanceOfSatisfying(LockInterruptedException.class,
				(interrupt) -> assertThat(interrupt.getLockName()).isEqualTo("job"));
		assertThat(caller.flagIsSet()).isTrue();
		assertThat(this.network.owner("job")).isEqualTo(held.owner());
		assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
		this.network.awaitFree("job", SOON);
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void grantInTransitIsReleasedAfterAnInterrupt(Route route) {
		open(route);
		this.network.proxy.holdReplies();
		Caller<LockHandle> caller = new Caller<>(() -> this.network.locks.acquire(LockTarget.of("job"), PATIENT));
		Awaitility.await("Redis has granted the lock").until(() -> this.network.owner("job") != null);

		caller.interrupt();

		assertThat(caller.failure()).isInstanceOf(LockInterruptedException.class);
		assertThat(caller.flagIsSet()).isTrue();
		this.network.proxy.flow();
		this.network.awaitFree("job", SOON);
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void requestInTransitDoesNotAcquireTheLockAfterAnInterrupt(Route route) {
		open(route);
		long callsBefore = this.network.scriptCalls();
		this.network.proxy.holdRequests();
		Caller<LockHandle> caller = new Caller<>(() -> this.network.locks.acquire(LockTarget.of("job"), PATIENT));
		Awaitility.await("caller waits for the reply").until(caller::isWaiting);

		caller.interrupt();

		assertThat(caller.failure()).isInstanceOf(LockInterruptedException.class);
		assertThat(caller.flagIsSet()).isTrue();
		this.network.proxy.flow();
		Awaitility.await("request arrived").until(() -> this.network.scriptCalls() > callsBefore);
		this.network.awaitFree("job", SOON);
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void releaseCompletesAndTheInterruptFlagStaysSet(Route route) throws Exception {
		open(route);
		AtomicReference<@Nullable LockHandle> lock = new AtomicReference<>();
		AtomicBoolean releasing = new AtomicBoolean();
		Caller<ReleaseOutcome> caller = new Caller<>(() -> {
			LockHandle handle = this.network.locks.acquire(LockTarget.of("job"));
			lock.set(handle);
			Awaitility.await().until(releasing::get);
			return handle.release();
		});
		Awaitility.await().until(() -> lock.get() != null);
		this.network.proxy.holdReplies();
		releasing.set(true);
		Awaitility.await("release arrived").until(() -> this.network.owner("job") == null);

		caller.interrupt();
		this.network.proxy.flow();

		assertThat(caller.reply()).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(caller.flagIsSet()).isTrue();
		assertThat(this.network.owner("job")).isNull();
	}

	private void open(Route route) {
		this.network = new FaultyNetwork(route, COMMAND_TIMEOUT);
	}

	/**
	 * A thread that makes one call, and its outcome.
	 */
	private static final class Caller<T> {

		private final FutureTask<T> task;

		private final Thread thread;

		private volatile boolean flag;

		Caller(Supplier<T> call) {
			this.task = new FutureTask<>(() -> {
				try {
					return call.get();
				}
				finally {
					this.flag = Thread.currentThread().isInterrupted();
				}
			});
			this.thread = new Thread(this.task);
			this.thread.start();
		}

		boolean isWaiting() {
			return this.thread.getState() == Thread.State.WAITING;
		}

		void interrupt() {
			this.thread.interrupt();
		}

		T reply() throws Exception {
			return this.task.get(SOON.toSeconds(), TimeUnit.SECONDS);
		}

		Throwable failure() {
			return catchThrowableOfType(ExecutionException.class, this::reply).getCause();
		}

		boolean flagIsSet() {
			return this.flag;
		}

	}

}
