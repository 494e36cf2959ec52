package io.github.redislock.samples.cluster.worker;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Semaphore;

import org.springframework.stereotype.Component;

/**
 * The pipe from the demonstration: each byte in it requests a hang, and when it ends,
 * this process ends.
 */
@Component
class Lifeline {

	private final Semaphore hangs = new Semaphore(0);

	Lifeline() {
		Thread listener = new Thread(() -> listen(System.in), "lifeline");
		listener.setDaemon(true);
		listener.start();
	}

	/**
	 * Return whether a hang was requested since the last call.
	 */
	boolean asksToHang() {
		return this.hangs.tryAcquire();
	}

	private void listen(InputStream orders) {
		try {
			while (orders.read() >= 0) {
				this.hangs.release();
			}
		}
		catch (IOException ex) {
			// As good as its end.
		}
		// The demonstration is gone, and its Redis with it: nothing to clean up.
		Runtime.getRuntime().halt(0);
	}

}
