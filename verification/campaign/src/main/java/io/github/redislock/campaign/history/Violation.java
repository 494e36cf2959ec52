package io.github.redislock.campaign.history;

/**
 * A broken promise.
 *
 * @param promise the broken promise
 * @param what how it was broken
 */
public record Violation(Promise promise, String what) {

	@Override
	public String toString() {
		return this.promise.text() + ": " + this.what;
	}

}
