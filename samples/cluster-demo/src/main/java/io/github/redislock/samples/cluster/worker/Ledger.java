package io.github.redislock.samples.cluster.worker;

import io.github.redislock.samples.cluster.message.Claim;

import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/**
 * What the lock protects. It belongs to the demonstration, which refuses late writes.
 * <p>
 * Waits for a reply as long as it takes: a worker releases a lock only after the ledger
 * knows that it has finished.
 */
@Component
class Ledger {

	private final RestClient client;

	Ledger(WorkerProperties properties) {
		this.client = RestClient.create(properties.demo());
	}

	/**
	 * Write a line.
	 * @return {@code false} if another worker has had the lock since
	 */
	boolean write(Claim claim) {
		return Boolean.TRUE.equals(this.client.post().uri("/ledger").body(claim).retrieve().body(Boolean.class));
	}

	/**
	 * End the claim.
	 */
	void leave(Claim claim) {
		this.client.delete()
			.uri("/ledger/{worker}/{token}", claim.worker(), claim.token())
			.retrieve()
			.toBodilessEntity();
	}

}
