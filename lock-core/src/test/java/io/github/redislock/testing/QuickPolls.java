package io.github.redislock.testing;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Makes Awaitility poll after 5 ms and then less and less often, instead of every 100 ms,
 * because most conditions take a few milliseconds. It also waits for longer than 10 s on
 * busy machines. JUnit registers this extension automatically.
 */
public final class QuickPolls implements BeforeAllCallback {

	private static final long FIRST_MILLIS = 5;

	private static final long LONGEST_MILLIS = 50;

	/**
	 * Shorter than a usual lease, so a test fails if its lock is freed only by the end of
	 * the lease.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(25);

	@Override
	public void beforeAll(ExtensionContext context) {
		Awaitility.setDefaultTimeout(PATIENCE);
		Awaitility.setDefaultPollDelay(Duration.ofMillis(FIRST_MILLIS));
		Awaitility.setDefaultPollInterval(
				(count, previous) -> Duration.ofMillis(Math.min(FIRST_MILLIS * count, LONGEST_MILLIS)));
	}

}
