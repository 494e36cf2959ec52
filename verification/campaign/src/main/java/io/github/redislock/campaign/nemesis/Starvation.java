package io.github.redislock.campaign.nemesis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Threads that keep all processors busy for a while.
 */
final class Starvation {

	private static final int PER_PROCESSOR = 4;

	private Starvation() {
	}

	static void during(Duration length) {
		long end = System.nanoTime() + length.toNanos();
		List<Thread> eaters = new ArrayList<>();
		for (int number = 0; number < PER_PROCESSOR * Runtime.getRuntime().availableProcessors(); number++) {
			eaters.add(new Thread(() -> {
				while (System.nanoTime() - end < 0) {
					Thread.onSpinWait();
				}
			}, "starvation"));
		}
		eaters.forEach(Thread::start);
		for (Thread eater : eaters) {
			try {
				eater.join();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
		}
	}

}
