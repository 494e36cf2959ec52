package io.github.redislock.samples.quickstart;

import java.time.Duration;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * Stands for what takes time in a real shop: a payment provider, a slow query, a file.
 */
@Component
public class SimulatedWork {

	private final Duration duration;

	SimulatedWork(@Value("${quickstart.work-time}") Duration duration) {
		this.duration = duration;
	}

	/**
	 * Come back after {@code quickstart.work-time}.
	 */
	public void run() {
		try {
			Thread.sleep(this.duration.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted at work", ex);
		}
	}

}
