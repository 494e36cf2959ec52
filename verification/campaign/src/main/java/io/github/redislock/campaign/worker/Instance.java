package io.github.redislock.campaign.worker;

/**
 * One instance of an application: its locks, from its start to its end in order.
 */
final class Instance {

	private final Setup setup;

	private final Witness witness;

	private final Locks locks;

	private final Closing closing = new Closing();

	Instance(Setup setup, Witness witness) {
		this.setup = setup;
		this.witness = witness;
		this.locks = setup.naive() ? new NaiveLocks(setup) : new ProductLocks(setup);
	}

	Locks locks() {
		return this.locks;
	}

	Closing closing() {
		return this.closing;
	}

	void close() {
		this.closing.begin();
		this.witness.renounce(this.setup.number());
		this.locks.close();
	}

}
