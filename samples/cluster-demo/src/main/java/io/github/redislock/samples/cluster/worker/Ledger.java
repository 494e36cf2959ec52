package io.github.redislock.samples.cluster.worker;

import io.github.redislock.samples.cluster.message.Claim;

import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/**
 * The client of the ledger that the lock protects. The ledger runs in the demonstration.
 * <p>
 * The client waits for each reply without a time limit, because a worker must not release
 * the lock before the ledger knows that the worker has finished.
 */
@Component
class Ledger {

	private final RestClient client;

	Ledger(WorkerProperties properties) {
		this.client = RestClient.create(properties.demo());
	}

	/**
	 * Write to the ledger.
	 * @return whether the ledger accepted the write
	 */
	boolean write(Claim claim) {
		return Boolean.TRUE.equals(this.client.post().uri("/ledger").body(claim).retrieve().body(Boolean.class));
	}

	void leave(Claim claim) {
		this.client.delete()
			.uri("/ledger/{worker}/{token}", claim.worker(), claim.token())
			.retrieve()
			.toBodilessEntity();
	}

}
