package io.github.redislock.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Reverses the order of the replies of a script that handles several locks.
 */
final class CrossedReplies implements Mistake {

	@Override
	public @Nullable Object reply(String script, @Nullable Object reply) {
		if (!Questions.isShort(script) || !(reply instanceof List<?> replies)) {
			return reply;
		}
		List<Object> crossed = new ArrayList<>(replies);
		Collections.reverse(crossed);
		return crossed;
	}

}
