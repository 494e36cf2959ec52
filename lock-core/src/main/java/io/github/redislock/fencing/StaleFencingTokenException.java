package io.github.redislock.fencing;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a write is refused because a greater fencing token was used before, or the
 * same by another holder. The writer has probably lost the lock without noticing.
 */
public class StaleFencingTokenException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String resource;

	private final long token;

	private final long newestToken;

	private final @Nullable String newestHolder;

	/**
	 * Create an exception for a write that was refused.
	 * @param resource the resource that was to be written
	 * @param token the writer's fencing token
	 * @param newestToken the greatest token that was admitted so far, or
	 * {@link Long#MAX_VALUE} if unknown
	 */
	public StaleFencingTokenException(String resource, long token, long newestToken) {
		this(resource, token, newestToken, null);
	}

	/**
	 * Create an exception for a write that was refused because of another holder.
	 * @param resource the resource that was to be written
	 * @param token the writer's fencing token
	 * @param newestToken the greatest token that was admitted so far, or
	 * {@link Long#MAX_VALUE} if unknown
	 * @param newestHolder the holder with that token, or {@code null} if unknown
	 */
	public StaleFencingTokenException(String resource, long token, long newestToken, @Nullable String newestHolder) {
		super(("Write to '%s' refused: its fencing token %s is %s %s, which %s used before. Acquire the lock again, and"
				+ " read again before you write")
			.formatted(resource, token, (token == newestToken) ? "not newer than" : "older than", newestToken,
					(newestHolder != null) ? "'" + newestHolder + "'" : "was"));
		this.newestHolder = newestHolder;
		this.resource = resource;
		this.token = token;
		this.newestToken = newestToken;
	}

	/**
	 * Return the resource that was to be written.
	 * @return the name of the resource
	 */
	public String getResource() {
		return this.resource;
	}

	/**
	 * Return the fencing token of the writer that was refused.
	 * @return the writer's token
	 */
	public long getToken() {
		return this.token;
	}

	/**
	 * Return the greatest token that was admitted so far.
	 * @return that token, or {@link Long#MAX_VALUE} if unknown
	 */
	public long getNewestToken() {
		return this.newestToken;
	}

	/**
	 * Return the holder that was admitted last.
	 * @return the beginning of its owner token, or {@code null} if unknown
	 */
	public @Nullable String getNewestHolder() {
		return this.newestHolder;
	}

}
