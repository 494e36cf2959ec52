package io.github.redislock.simulation.redis;

/**
 * An error reply, with the text of the server.
 */
public final class ErrorReplyException extends RuntimeException {

	ErrorReplyException(String text) {
		super(text, null, false, false);
	}

	/**
	 * Return the server's text, which begins with a code such as {@code OOM}.
	 */
	public String text() {
		return String.valueOf(getMessage());
	}

}
