package io.github.redislock.memory;

import java.util.Comparator;

import org.jspecify.annotations.Nullable;

/**
 * The share of one owner in a lock: the whole lock, or one place of several.
 *
 * @param requestId the id of the request to which the place was granted
 * @param token the first of the reserved fencing tokens
 * @param lastToken the last of the reserved fencing tokens
 * @param end when the place expires, or {@code null} for never
 */
record Place(String owner, String requestId, long token, long lastToken, @Nullable Long end) {

	/** Orders places by the time at which they become free. */
	static final Comparator<Place> BY_END = (one, other) -> (one.end == null || other.end == null)
			? Boolean.compare(one.end == null, other.end == null) : Long.signum(one.end - other.end);

	Place until(@Nullable Long other) {
		return new Place(this.owner, this.requestId, this.token, this.lastToken, other);
	}

}
