package io.github.redislock.redis.client;

/**
 * A script has done its work, but too few replicas are known to have it.
 */
public final class ReplicationFailure extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient Object answer;

	ReplicationFailure(Object answer, String message) {
		super(message);
		this.answer = answer;
	}

	/**
	 * Create a failure to learn what the replicas have.
	 */
	ReplicationFailure(Object answer, Throwable cause) {
		super(cause);
		this.answer = answer;
	}

	/**
	 * Return what the script returned.
	 */
	public Object answer() {
		return this.answer;
	}

}
