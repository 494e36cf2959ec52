package io.github.redislock.testing;

import java.util.List;

import io.github.redislock.CallersLock;
import io.github.redislock.LockTarget;
import io.github.redislock.ThreadLocks;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Ends what a thread knows of locks that a test has not let go: the next test on this
 * thread would be told of those that are lost, as an application is, and would have those
 * that are held. A test that leaves one held fails. JUnit finds this by itself.
 */
public final class ForgottenLocks implements AfterEachCallback {

	@Override
	public void afterEach(ExtensionContext context) {
		requireNoneHeld();
	}

	/**
	 * Forget all locks that this thread has taken, and fail if one of them is held.
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
