package io.github.redislock.engine;

import java.time.Duration;
import java.util.Random;

import io.github.redislock.LockListener;
import io.github.redislock.LockTarget;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireRequest;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.util.LoggingLevel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * However its threads interleave, a waiting room keeps a line for as long as somebody
 * uses it, all who use one use the same, and it forgets the line when the last has left.
 */
@Tag("interleaving")
public class WaitingRoomInterleavingTests {

	private static final LockTarget TARGET = LockTarget.of("order:42");

	private static final EngineParts PARTS = parts();

	private final WaitingRoom room = new WaitingRoom(WaitingRoomInterleavingTests::line);

	@Operation
	public boolean keepsTheLineThatIsUsed() {
		Line line = this.room.enter(TARGET);
		boolean kept = this.room.find(TARGET) == line;
		this.room.leave(line);
		return kept;
	}

	@Operation
	public boolean keepsTheLineForTheLastUser() {
		Line line = this.room.enter(TARGET);
		Line again = this.room.enter(TARGET);
		this.room.leave(line);
		boolean kept = this.room.find(TARGET) == again;
		this.room.leave(again);
		return kept && line == again;
	}

	@Validate
	public void isEmptyWhenAllHaveLeft() {
		if (!this.room.isEmpty()) {
			throw new IllegalStateException("A line is left that nobody uses");
		}
	}

	@Test
	void twoThreadsNeverLoseALineThatIsUsed() {
		new ModelCheckingOptions().iterations(2)
			.invocationsPerIteration(700)
			.threads(2)
			.actorsPerThread(2)
			.actorsBefore(0)
			.actorsAfter(0)
			.logLevel(LoggingLevel.ERROR)
			.check(WaitingRoomInterleavingTests.class);
	}

	private static Line line(LockTarget target) {
		return new Line(PARTS, target,
				(asked, settings) -> new AcquireRequest(target, "owner", "request", Duration.ofSeconds(1)), true);
	}

	private static EngineParts parts() {
		ManualLockTimer timer = new ManualLockTimer();
		ScriptedStore store = new ScriptedStore();
		return new EngineParts(store, new WatchedTimer(timer), new Jitter(new Random(1)), null, Duration.ZERO,
				PassLimits.DEFAULT, new HandOvers(Duration.ZERO, (name) -> {
				}), new Renewer(timer, store), new LockListener() {
				}, new BackgroundRetry(timer), Runnable::run, Machine.system().waiting());
	}

}
