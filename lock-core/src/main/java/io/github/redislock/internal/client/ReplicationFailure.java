package io.github.redislock.internal.client;

/**
 * Thrown if a script has run, but too few replicas are known to have acknowledged it.
 */
public final class ReplicationFailure extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient Object reply;

	ReplicationFailure(Object reply, String message) {
		super(message);
		this.reply = reply;
	}

	/**
	 * Create a failure for a result whose acknowledgements are unknown.
	 */
	ReplicationFailure(Object reply, Throwable cause) {
		super(cause);
		this.reply = reply;
	}

	/**
	 * Return what the script returned.
	 */
	public Object reply() {
		return this.reply;
	}

}
