package io.github.redislock.internal.engine;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.Interleavings;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * However threads interleave, {@link OpenLocks} keeps a queue as long as it is used. All
 * users of a name get the same queue, which is removed when the last one has left.
 */
@Tag("interleaving")
@Tag("promise-1")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
public class OpenLocksInterleavingTests {

	private static final LockTarget TARGET = LockTarget.of("order:42");

	private static final AcquireSettings SETTINGS = AcquireSettings.of(LockOptions.options(), LockOptions.defaults(),
			null);

	private static final AcquireSettings ONE_WAITS = AcquireSettings.of(LockOptions.options().maxWaiters(1),
			LockOptions.defaults(), null);

	private static final EngineParts PARTS = EngineCalls.parts();

	private final OpenLocks open = new OpenLocks(PARTS, Runnable::run);

	/** The users in the limited operation. */
	private final AtomicInteger inside = new AtomicInteger();

	@Operation
	public boolean keepsTheQueueThatIsUsed() {
		LocalQueue queue = use(SETTINGS);
		boolean kept = this.open.find(TARGET) == queue;
		this.open.unuse(queue);
		return kept;
	}

	@Operation
	public boolean keepsTheQueueForTheLastUser() {
		LocalQueue queue = use(SETTINGS);
		LocalQueue again = use(SETTINGS);
		this.open.unuse(queue);
		boolean kept = this.open.find(TARGET) == again;
		this.open.unuse(again);
		return kept && queue == again;
	}

	/**
	 * One user holds the lock or asks for it, and one waits.
	 */
	@Operation
	public boolean admitsNoMoreUsersThanMayWait() {
		boolean first = enter();
		boolean second = enter();
		boolean admitted = this.inside.get() <= 2;
		if (first) {
			leave();
		}
		if (second) {
			leave();
		}
		return admitted;
	}

	private boolean enter() {
		boolean entered = this.open.use(TARGET, ONE_WAITS) != null;
		if (entered) {
			this.inside.incrementAndGet();
		}
		return entered;
	}

	private void leave() {
		this.inside.decrementAndGet();
		this.open.unuse(Objects.requireNonNull(this.open.find(TARGET)));
	}

	private LocalQueue use(AcquireSettings settings) {
		return Objects.requireNonNull(this.open.use(TARGET, settings));
	}

	@Validate
	public void isEmptyWhenAllHaveLeft() {
		if (!this.open.isEmpty()) {
			throw new IllegalStateException("An unused queue is left");
		}
	}

	@Test
	void concurrentUsersShareAQueueUntilTheLastOneLeaves() {
		Interleavings.check(OpenLocksInterleavingTests.class, 2, Effort.of(300, 700));
	}

}
