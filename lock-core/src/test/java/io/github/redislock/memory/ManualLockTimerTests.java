package io.github.redislock.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ManualLockTimerTests {

	private final ManualLockTimer timer = new ManualLockTimer();

	private final List<String> log = new ArrayList<>();

	@Test
	void clockDoesNotMoveUntilAdvanced() {
		long nanos = this.timer.nanoTime();
		Instant now = this.timer.now();

		assertThat(this.timer.nanoTime()).isEqualTo(nanos);
		assertThat(this.timer.now()).isEqualTo(now);

		this.timer.advance(Duration.ofMillis(1_500));
		assertThat(this.timer.nanoTime() - nanos).isEqualTo(1_500_000_000);
		assertThat(this.timer.now()).isEqualTo(now.plusMillis(1_500));
	}

	@Test
	void tasksRunInOrderEachAtItsDueTime() {
		note("second", Duration.ofSeconds(2));
		note("first", Duration.ofSeconds(1));
		note("also second", Duration.ofSeconds(2));
		note("later", Duration.ofSeconds(10));

		this.timer.advance(Duration.ofSeconds(5));

		assertThat(this.log).containsExactly("first at 1s", "second at 2s", "also second at 2s");
		assertThat(this.timer.nanoTime()).isEqualTo(5_000_000_000L);
	}

	@Test
	void taskRunsExactlyAtItsDueTime() {
		note("task", Duration.ofSeconds(1));

		this.timer.advance(Duration.ofSeconds(1).minusNanos(1));
		assertThat(this.log).isEmpty();

		this.timer.advance(Duration.ofNanos(1));
		assertThat(this.log).hasSize(1);
	}

	@Test
	void taskScheduledByATaskRunsInTheSameAdvanceIfDue() {
		this.timer.schedule(() -> note("due", Duration.ofSeconds(1)), Duration.ofSeconds(1));
		this.timer.schedule(() -> note("not due", Duration.ofSeconds(3)), Duration.ofSeconds(1));

		this.timer.advance(Duration.ofSeconds(3));

		assertThat(this.log).containsExactly("due at 2s");
	}

	@Test
	void clockNeverRunsBackwards() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.timer.advance(Duration.ofNanos(-1)))
			.withMessage("a clock for leases cannot run backwards");

		// A task may itself advance the clock past the end of the step that runs it.
		this.timer.schedule(() -> this.timer.advance(Duration.ofSeconds(10)), Duration.ofSeconds(1));
		this.timer.advance(Duration.ofSeconds(2));

		assertThat(this.timer.nanoTime()).isEqualTo(11_000_000_000L);
	}

	@Test
	void closedTimerRunsNoTasks() {
		note("task", Duration.ofSeconds(1));

		this.timer.close();
		this.timer.advance(Duration.ofSeconds(1));

		assertThat(this.log).isEmpty();
	}

	private Future<?> note(String what, Duration delay) {
		return this.timer.schedule(() -> this.log.add(what + " at " + this.timer.nanoTime() / 1_000_000_000 + "s"),
				delay);
	}

}
