package io.github.redislock.autoconfigure.test;

import io.github.redislock.test.TestLocks;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * {@link TestExecutionListener} that frees all locks and ends all simulated failures
 * after each test, because tests share application contexts.
 */
final class TestLocksExecutionListener extends AbstractTestExecutionListener {

	/**
	 * Listeners run in reverse order after a test: this one runs after the end of the
	 * transaction, and before a dirty context is closed.
	 */
	private static final int ORDER = 3500;

	@Override
	public int getOrder() {
		return ORDER;
	}

	@Override
	public void afterTestMethod(TestContext testContext) {
		if (testContext.hasApplicationContext()) {
			testContext.getApplicationContext().getBeanProvider(TestLocks.class).ifAvailable(TestLocks::reset);
		}
	}

}
