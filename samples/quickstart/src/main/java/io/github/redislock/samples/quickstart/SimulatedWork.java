package io.github.redislock.samples.quickstart;

import java.time.Duration;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * Stands in for the slow work of a real shop, such as a payment, a slow query or a file.
 */
@Component
public class SimulatedWork {

	private final Duration duration;

	SimulatedWork(@Value("${quickstart.work-time}") Duration duration) {
		this.duration = duration;
	}

	/**
	 * Return after {@code quickstart.work-time}.
	 */
	public void run() {
		try {
			Thread.sleep(this.duration.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while working", ex);
		}
	}

}
