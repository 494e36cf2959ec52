package io.github.redislock.samples.quickstart.fencing;

import io.github.redislock.LockContext;
import io.github.redislock.annotation.DistributedLock;

import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Writes documents in transactions that a fence must admit.
 */
@Service
class FencedDocuments {

	private final TransactionOperations transaction;

	private final DocumentRepository documents;

	FencedDocuments(TransactionOperations transaction, DocumentRepository documents) {
		this.transaction = transaction;
		this.documents = documents;
	}

	/**
	 * Write a document, after a stop that may take longer than the lease.
	 */
	@DistributedLock(name = "fenced-document", key = "#name", fence = "fence", timeout = "500ms", autoRenew = false,
			waitTime = "20s")
	public void write(String name, String content, Runnable stop) {
		stop.run();
		long token = LockContext.current().fencingToken();
		this.transaction.executeWithoutResult((status) -> {
			Document present = this.documents.findByName(name).orElseGet(() -> new Document(null, name, "", 0));
			this.documents.save(present.with(content, token));
		});
	}

}
