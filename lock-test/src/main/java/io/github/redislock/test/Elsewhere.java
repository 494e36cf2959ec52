package io.github.redislock.test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.github.redislock.LockTarget;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * All other processes. The simulated failures do not affect them.
 */
final class Elsewhere {

	private final InMemoryLockStore memory;

	private final AtomicLong number = new AtomicLong();

	Elsewhere(InMemoryLockStore memory) {
		this.memory = memory;
	}

	/**
	 * Take a lock that is available.
	 * @param lease how long the lock is held; {@code null} means until it is released
	 */
	HeldElsewhere hold(LockTarget target, @Nullable Duration lease) {
		String id = "elsewhere/" + this.number.incrementAndGet();
		AcquireRequest request = new AcquireRequest(target, id, id, lease);
		AcquireReply reply = this.memory.acquire(request).toCompletableFuture().join();
		if (reply instanceof AcquireReply.Held held) {
			throw new IllegalStateException(
					"Lock '%s' cannot be held elsewhere: '%s' holds it".formatted(target, held.holder().holder()));
		}
		return new HeldElsewhere(this.memory, request);
	}

}
