package io.github.redislock.testing;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets Awaitility look again after 5 ms, then less and less often, instead of every 100
 * ms: most of what tests wait for takes a few milliseconds. JUnit finds this by itself.
 */
public final class QuickPolls implements BeforeAllCallback {

	private static final long FIRST_MILLIS = 5;

	private static final long LONGEST_MILLIS = 50;

	@Override
	public void beforeAll(ExtensionContext context) {
		Awaitility.setDefaultPollDelay(Duration.ofMillis(FIRST_MILLIS));
		Awaitility.setDefaultPollInterval(
				(count, previous) -> Duration.ofMillis(Math.min(FIRST_MILLIS * count, LONGEST_MILLIS)));
	}

}
