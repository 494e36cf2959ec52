package io.github.redislock.campaign.failover;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Instances that are closed together.
 */
final class Clients implements AutoCloseable {

	/** Longer than any library takes whose servers reply. */
	private static final Duration PATIENCE = Duration.ofSeconds(15);

	private final List<Client> opened = new ArrayList<>();

	Client open(Supplier<Client> client) {
		Client opened = client.get();
		this.opened.add(opened);
		return opened;
	}

	List<Client> opened() {
		return List.copyOf(this.opened);
	}

	/**
	 * Close all instances at the same time. An instance that takes too long is left
	 * behind.
	 */
	@Override
	public void close() {
		List<Thread> closing = this.opened.stream().map((client) -> {
			Thread thread = new Thread(() -> close(client), "close");
			thread.setDaemon(true);
			thread.start();
			return thread;
		}).toList();
		for (Thread thread : closing) {
			try {
				thread.join(PATIENCE.toMillis());
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
		}
	}

	private static void close(Client client) {
		try {
			client.close();
		}
		catch (RuntimeException ex) {
			// What a library does at its end is not measured.
		}
	}

}
