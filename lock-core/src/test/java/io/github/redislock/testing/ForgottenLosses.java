package io.github.redislock.testing;

import io.github.redislock.LockContext;
import io.github.redislock.LockLostException;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Ends what a thread knows of locks that a test has lost and not let go: the next test on
 * this thread would be told, as an application is. JUnit finds this by itself.
 */
public final class ForgottenLosses implements AfterEachCallback {

	private static final int MOST = 10_000;

	@Override
	public void afterEach(ExtensionContext context) {
		for (int told = 0; told < MOST; told++) {
			try {
				LockContext.requireHeld();
				return;
			}
			catch (LockLostException ex) {
				// Told once. The next one.
			}
		}
		throw new IllegalStateException("Work under a lost lock goes on after its test");
	}

}
