package io.github.redislock.simulation;

/**
 * A promise was broken.
 */
public final class Violation extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String promise;

	Violation(String promise, String text) {
		super(text);
		this.promise = promise;
	}

	/**
	 * Return which promise it was.
	 */
	public String promise() {
		return this.promise;
	}

}
