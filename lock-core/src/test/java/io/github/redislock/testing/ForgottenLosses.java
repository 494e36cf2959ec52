package io.github.redislock.testing;

import io.github.redislock.ThreadLocks;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Ends what a thread knows of locks that a test has not released: the next test on this
 * thread would be told of their loss, as an application is. JUnit finds this by itself.
 */
public final class ForgottenLosses implements AfterEachCallback {

	@Override
	public void afterEach(ExtensionContext context) {
		ThreadLocks.taken().forEach((lock) -> ThreadLocks.remove(lock.reference()));
	}

}
