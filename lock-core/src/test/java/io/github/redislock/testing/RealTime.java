package io.github.redislock.testing;

import java.time.Duration;

import org.awaitility.Awaitility;

/**
 * Time that cannot be advanced, such as that of a Redis.
 */
public final class RealTime {

	private RealTime() {
	}

	/**
	 * Let time pass, and a little more: clocks differ.
	 */
	public static void elapse(Duration duration) {
		long end = System.nanoTime() + duration.plusMillis(20).toNanos();
		Awaitility.await().until(() -> System.nanoTime() - end > 0);
	}

}
