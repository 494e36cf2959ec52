package io.github.redislock.campaign.history;

/**
 * Something that must not be.
 *
 * @param promise which promise was broken
 * @param what how
 */
public record Violation(Promise promise, String what) {

	@Override
	public String toString() {
		return this.promise.text() + ": " + this.what;
	}

}
