package io.github.redislock.campaign.worker;

import java.util.concurrent.locks.LockSupport;

import io.github.redislock.campaign.history.Recorder;

/**
 * Records the periods in which this process did not run, because its threads cannot meet
 * a deadline in such a period.
 */
final class StallMeter {

	private static final long TICK = 20_000_000;

	private static final long NOTICEABLE = 100_000_000;

	private StallMeter() {
	}

	static void start(Recorder recorder) {
		Thread thread = new Thread(() -> run(recorder), "stall-meter");
		thread.setDaemon(true);
		thread.start();
	}

	private static void run(Recorder recorder) {
		long last = System.nanoTime();
		while (true) {
			LockSupport.parkNanos(TICK);
			long now = System.nanoTime();
			if (now - last > NOTICEABLE) {
				recorder.stalled(last, now);
			}
			last = now;
		}
	}

}
