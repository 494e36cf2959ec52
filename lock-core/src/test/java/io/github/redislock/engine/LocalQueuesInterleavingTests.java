package io.github.redislock.engine;

import java.security.SecureRandom;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.OwnerTokens;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.Interleavings;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * However threads interleave, {@link LocalQueues} keep a queue as long as it is used. All
 * users of a name get the same queue, which is removed when the last one has left.
 */
@Tag("interleaving")
@Tag("promise-1")
public class LocalQueuesInterleavingTests {

	private static final LockTarget TARGET = LockTarget.of("order:42");

	private static final AcquireSettings SETTINGS = AcquireSettings.of(LockOptions.options(), LockOptions.defaults());

	private static final AcquireSettings ONE_WAITS = AcquireSettings.of(LockOptions.options().maxWaiters(1),
			LockOptions.defaults());

	private static final LockRequests REQUESTS = requests();

	private final LocalQueues queues = new LocalQueues(REQUESTS);

	/** The users in the limited operation. */
	private final AtomicInteger inside = new AtomicInteger();

	@Operation
	public boolean keepsTheQueueThatIsUsed() {
		LocalQueue queue = use(SETTINGS);
		boolean kept = this.queues.find(TARGET) == queue;
		this.queues.unuse(queue);
		return kept;
	}

	@Operation
	public boolean keepsTheQueueForTheLastUser() {
		LocalQueue queue = use(SETTINGS);
		LocalQueue again = use(SETTINGS);
		this.queues.unuse(queue);
		boolean kept = this.queues.find(TARGET) == again;
		this.queues.unuse(again);
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
		boolean entered = this.queues.use(TARGET, ONE_WAITS) != null;
		if (entered) {
			this.inside.incrementAndGet();
		}
		return entered;
	}

	private void leave() {
		this.inside.decrementAndGet();
		this.queues.unuse(Objects.requireNonNull(this.queues.find(TARGET)));
	}

	private LocalQueue use(AcquireSettings settings) {
		return Objects.requireNonNull(this.queues.use(TARGET, settings));
	}

	@Validate
	public void isEmptyWhenAllHaveLeft() {
		if (!this.queues.isEmpty()) {
			throw new IllegalStateException("An unused queue is left");
		}
	}

	@Test
	void concurrentUsersShareAQueueUntilTheLastOneLeaves() {
		Interleavings.check(LocalQueuesInterleavingTests.class, 2, Effort.of(300, 700));
	}

	/**
	 * Return a factory that is never used, because no caller waits.
	 */
	private static LockRequests requests() {
		WatchedTimer timer = new WatchedTimer(new ManualLockTimer());
		EngineStore store = new EngineStore(new InMemoryLockStore(timer), null, timer);
		HandOverDispatcher dispatcher = new HandOverDispatcher((name) -> {
		}, () -> {
		});
		return new LockRequests(store, timer, new Jitter(new Random()), dispatcher, new Renewer(timer, store),
				new OwnerTokens("me", new SecureRandom(), System::nanoTime), PassLimits.DEFAULT);
	}

}
