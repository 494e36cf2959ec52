package io.github.redislock.testing;

import java.util.List;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.CallersLock;
import io.github.redislock.internal.engine.ThreadLocks;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Clears a thread's locks after each test. Otherwise the next test on this thread would
 * get an exception for lost locks, as an application does, and would own those that are
 * held. A test that leaves a lock held fails. JUnit registers this extension
 * automatically.
 */
public final class ForgottenLocks implements AfterEachCallback {

	@Override
	public void afterEach(ExtensionContext context) {
		requireNoneHeld();
	}

	/**
	 * Clear all locks that this thread has acquired, and fail if one is held.
	 */
	static void requireNoneHeld() {
		List<CallersLock> left = ThreadLocks.taken();
		left.forEach((lock) -> ThreadLocks.remove(lock.reference()));
		List<LockTarget> held = left.stream().filter(CallersLock::isHeld).map(CallersLock::target).toList();
		if (!held.isEmpty()) {
			throw new AssertionError(("%d locks are held after their test, and the next one on this thread would have"
					+ " them: release %s, or close their template")
				.formatted(held.size(), held));
		}
	}

}
