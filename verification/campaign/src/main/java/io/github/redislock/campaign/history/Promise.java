package io.github.redislock.campaign.history;

/**
 * The promises that a history can disprove.
 */
public enum Promise {

	EXCLUSION("two callers never claim one lock, or lead, at the same time"),

	KEPT("a lock is never taken away before its lease is over"),

	ORDER("a later hold, or leader, has a greater fencing token"),

	UNIQUE("no fencing token is used twice"),

	FENCED("a store that checks tokens never refuses a caller that claims the lock"),

	NOTHING_LEFT("no key is left in Redis for good"),

	BOUNDED_WAIT("a call ends within its waiting time plus a tolerance"),

	TRUE_REFUSAL("\"another caller has it\" is true"),

	NO_SURPRISE("there is no crash, no undocumented exception, and no deadlock"),

	TOLD("a leader is notified of its end in time, but not too early");

	private final String text;

	Promise(String text) {
		this.text = text;
	}

	public String text() {
		return this.text;
	}

}
