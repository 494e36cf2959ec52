package io.github.redislock.testing;

import java.time.Duration;

import org.awaitility.Awaitility;

/**
 * Time that a test cannot advance, such as that of a Redis.
 */
public final class RealTime {

	private RealTime() {
	}

	/**
	 * Let slightly more than this time pass, because clocks differ.
	 */
	public static void elapse(Duration duration) {
		long end = System.nanoTime() + duration.plusMillis(20).toNanos();
		Awaitility.await().until(() -> System.nanoTime() - end > 0);
	}

}
