package io.github.redislock.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireReply;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class JumpDetectingTimerTests {

	private final ManualLockTimer clock = new ManualLockTimer();

	private final SlowClocks given = new SlowClocks();

	private final JumpDetectingTimer timer = new JumpDetectingTimer(this.given);

	@Test
	void suspensionIsAJump() {
		long before = this.timer.nanoTime();

		this.given.suspended = Duration.ofSeconds(60);
		this.clock.advance(Duration.ofMillis(1));

		this.timer.nanoTime();
		assertThat(this.timer.jumpedSince(before)).isEqualTo(Duration.ofSeconds(60).toNanos());
	}

	@Test
	void jumpBeforeTheBeginningOfALeaseDoesNotCountAfterAnotherJump() {
		this.given.suspended = Duration.ofSeconds(60);
		this.clock.advance(Duration.ofMillis(1));
		this.timer.nanoTime();
		this.clock.advance(Duration.ofMillis(1));
		long begun = this.timer.nanoTime();

		this.given.suspended = Duration.ofSeconds(90);
		this.clock.advance(Duration.ofMillis(1));

		this.timer.nanoTime();
		assertThat(this.timer.jumpedSince(begun)).isEqualTo(Duration.ofSeconds(30).toNanos());
	}

	@Test
	void wallClockSetBackDoesNotChangeTheTime() {
		this.clock.advance(Duration.ofMillis(1));
		long before = this.timer.nanoTime();

		this.given.suspended = Duration.ofSeconds(-60);

		assertThat(this.timer.nanoTime()).isEqualTo(before);
		assertThat(this.timer.jumpedSince(0)).isZero();
	}

	@Test
	void threadPausedBetweenItsReadingsOfBothClocksSeesNoJump() {
		long before = this.timer.nanoTime();

		this.given.pause = Duration.ofMillis(80);

		this.timer.nanoTime();
		this.timer.nanoTime();
		assertThat(this.timer.jumpedSince(before)).isZero();
	}

	@Test
	void jumpAfterTheFirstReadingsCountsForLeasesThatBeganBeforeIt() {
		AtomicLong begun = new AtomicLong();
		this.given.pause = Duration.ofMillis(80);
		this.given.afterPause = () -> {
			this.clock.advance(Duration.ofMillis(1));
			begun.set(this.clock.nanoTime());
			this.clock.advance(Duration.ofMillis(1));
			this.given.suspended = Duration.ofSeconds(60);
		};

		long time = this.timer.nanoTime();

		assertThat(this.timer.jumpedSince(begun.get())).isEqualTo(Duration.ofSeconds(60).toNanos());
		assertThat(this.timer.jumpedSince(time)).isZero();
	}

	@Test
	void lockOfAnEngineIsRenewedEarlierAfterASuspension() {
		ScriptedStore store = new ScriptedStore();
		LockEngine engine = new LockEngine(store, LockConfiguration.defaults().timer(this.given));
		LockTarget target = LockTarget.of("order:42");
		Acquisition<BlockingHandle> acquisition = new EngineCalls().acquire(engine, target,
				engine.settings(target, LockOptions.options().timeout(Duration.ofSeconds(30))));
		ScriptedStore.only(store.acquires).reply(new AcquireReply.Granted(7));
		this.clock.advance(Duration.ofMillis(1));

		this.given.suspended = Duration.ofSeconds(15);
		assertThat(EngineCalls.lock(acquisition).isHeld()).isTrue();
		this.clock.advance(Duration.ofMillis(1));

		assertThat(store.renews).hasSize(1);
	}

	/**
	 * Clocks of a machine that may be suspended, and of a thread that may be paused once
	 * before it reads the monotonic clock.
	 */
	private final class SlowClocks implements LockTimer {

		private Duration suspended = Duration.ZERO;

		private Duration pause = Duration.ZERO;

		private Runnable afterPause = () -> {
		};

		@Override
		public long nanoTime() {
			JumpDetectingTimerTests.this.clock.advance(this.pause);
			long time = JumpDetectingTimerTests.this.clock.nanoTime();
			if (!this.pause.isZero()) {
				this.pause = Duration.ZERO;
				this.afterPause.run();
			}
			return time;
		}

		@Override
		public Instant now() {
			return JumpDetectingTimerTests.this.clock.now().plus(this.suspended);
		}

		@Override
		public Future<?> schedule(Runnable task, Duration delay) {
			return JumpDetectingTimerTests.this.clock.schedule(task, delay);
		}

		@Override
		public void close() {
			JumpDetectingTimerTests.this.clock.close();
		}

	}

}
