package io.github.redislock.campaign.history;

/**
 * The promises that a history can disprove.
 */
public enum Promise {

	/** Promise 1. */
	EXCLUSION("no two callers claim one lock, or lead, at the same time"),

	/** The consequences of a broken promise are checked elsewhere. */
	KEPT("no lock is taken away before its lease is over"),

	/** Promise 2. */
	ORDER("a later hold, or leader, has a greater fencing token"),

	/** Promise 3. */
	UNIQUE("no fencing token is used twice"),

	/** Promise 4. */
	FENCED("a store that checks tokens never refuses a caller that claims the lock"),

	/** Promise 5. */
	NOTHING_LEFT("no key stays in Redis"),

	/** Promise 6. */
	BOUNDED_WAIT("a call ends in time"),

	/** Promise 7. */
	TRUE_REFUSAL("\"another caller has it\" is true"),

	/** Promise 8. */
	NO_SURPRISE("no crash, no exception but the documented ones, and no deadlock"),

	/** Promise 9. */
	TOLD("a leader is notified of its end in time, and not before");

	private final String text;

	Promise(String text) {
		this.text = text;
	}

	/**
	 * Return the promise as text.
	 * @return what is promised
	 */
	public String text() {
		return this.text;
	}

}
