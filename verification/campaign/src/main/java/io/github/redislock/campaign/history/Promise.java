package io.github.redislock.campaign.history;

/**
 * The promises that a history can disprove.
 */
public enum Promise {

	/** Promise 1. */
	EXCLUSION("two callers never claim one lock, or lead, at the same time"),

	/**
	 * Not a separate promise: the checks of the other promises cover its consequences.
	 */
	KEPT("a lock is never taken away before its lease is over"),

	/** Promise 2. */
	ORDER("a later hold, or leader, has a greater fencing token"),

	/** Promise 3. */
	UNIQUE("no fencing token is used twice"),

	/** Promise 4. */
	FENCED("a store that checks tokens never refuses a caller that claims the lock"),

	/** Promise 5. */
	NOTHING_LEFT("no key stays in Redis"),

	/** Promise 6. */
	BOUNDED_WAIT("a call ends within its waiting time plus a tolerance"),

	/** Promise 7. */
	TRUE_REFUSAL("\"another caller has it\" is true"),

	/** Promise 8. */
	NO_SURPRISE("there is no crash, no undocumented exception, and no deadlock"),

	/** Promise 9. */
	TOLD("a leader is notified of its end in time, but not too early");

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
