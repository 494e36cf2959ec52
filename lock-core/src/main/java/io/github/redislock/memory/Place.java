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
	static final Comparator<Place> BY_END = Comparator.comparing(Place::end,
			Comparator.nullsLast((one, other) -> Long.signum(one - other)));

	Place until(@Nullable Long other) {
		return new Place(this.owner, this.requestId, this.token, this.lastToken, other);
	}

}
