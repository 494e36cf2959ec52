package io.github.redislock.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Gives the answers of a script that takes and releases several locks in the wrong order.
 */
final class CrossedAnswers implements Mistake {

	@Override
	public @Nullable Object reply(String script, @Nullable Object reply) {
		if (!script.equals(Questions.QUICK) || !(reply instanceof List<?> answers)) {
			return reply;
		}
		List<Object> crossed = new ArrayList<>(answers);
		Collections.reverse(crossed);
		return crossed;
	}

}
