package io.github.redislock.samples.cluster.worker;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Semaphore;

import org.springframework.stereotype.Component;

/**
 * The pipe from the demonstration. Each byte requests a hang. When the pipe ends, this
 * process ends.
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
	 * Return whether a requested hang is pending, and remove it if so.
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
			// An error is treated like the end of the pipe.
		}
		// The demonstration and all workers end, so the lock need not be released.
		Runtime.getRuntime().halt(0);
	}

}
