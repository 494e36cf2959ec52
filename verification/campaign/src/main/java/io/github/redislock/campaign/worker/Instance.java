package io.github.redislock.campaign.worker;

import io.github.redislock.campaign.history.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * An instance of an application, with its locks and its candidacy, from startup to
 * orderly shutdown.
 */
final class Instance {

	private final Setup setup;

	private final Witness witness;

	private final Locks locks;

	private final @Nullable Candidate candidate;

	private final Closing closing = new Closing();

	Instance(Setup setup, Recorder recorder, Witness witness) {
		this.setup = setup;
		this.witness = witness;
		if (setup.naive()) {
			this.locks = new NaiveLocks(setup);
			this.candidate = null;
			return;
		}
		ProductLocks product = new ProductLocks(setup);
		this.locks = product;
		this.candidate = new Candidate(setup, product.template(), recorder, witness);
		this.candidate.start();
	}

	Locks locks() {
		return this.locks;
	}

	Closing closing() {
		return this.closing;
	}

	void resign() {
		if (this.candidate != null) {
			this.candidate.resign();
		}
	}

	void withdraw() {
		if (this.candidate != null) {
			this.candidate.close();
		}
	}

	void close() {
		this.closing.begin();
		this.witness.renounce(this.setup.number());
		withdraw();
		this.locks.close();
	}

}
