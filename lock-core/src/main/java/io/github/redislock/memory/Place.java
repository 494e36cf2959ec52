package io.github.redislock.memory;

import java.util.Comparator;

import org.jspecify.annotations.Nullable;

/**
 * What one owner has of a lock: all of it, or his place among several.
 *
 * @param requestId the request to which it was granted
 * @param token the first of the tokens that were reserved
 * @param lastToken the last of them
 * @param end when it is over, or {@code null} for never
 */
record Place(String owner, String requestId, long token, long lastToken, @Nullable Long end) {

	/** The first one to come free is the first. */
	static final Comparator<Place> BY_END = Place::compareEnds;

	Place until(@Nullable Long other) {
		return new Place(this.owner, this.requestId, this.token, this.lastToken, other);
	}

	private static int compareEnds(Place one, Place other) {
		if (one.end == null || other.end == null) {
			return Boolean.compare(one.end == null, other.end == null);
		}
		return Long.signum(one.end - other.end);
	}

}
