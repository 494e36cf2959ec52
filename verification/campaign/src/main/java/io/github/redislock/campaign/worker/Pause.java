package io.github.redislock.campaign.worker;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets time pass.
 */
public final class Pause {

	private Pause() {
	}

	/**
	 * Let some time pass. If the thread is interrupted, return early with the interrupt
	 * flag set.
	 * @param length the length of the pause
	 */
	public static void of(Duration length) {
		long end = System.nanoTime() + length.toNanos();
		for (long left = length.toNanos(); left > 0
				&& !Thread.currentThread().isInterrupted(); left = end - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
