package io.github.redislock.redis.quorum;

import org.jspecify.annotations.Nullable;

/**
 * Tells what the replies of several servers mean together.
 *
 * @param <T> what one server replies
 * @param <R> what that means
 */
@FunctionalInterface
interface Verdict<T, R> {

	/**
	 * Return the answer, as soon as it is clear.
	 * @return {@code null} as long as the replies that are missing may change it
	 */
	@Nullable R of(Replies<T> replies);

	/**
	 * Decide between yes and no: what a majority has said.
	 */
	static Verdict<Boolean, Boolean> majority() {
		return (replies) -> {
			if (replies.count(Boolean.TRUE::equals) >= replies.quorum().majority()) {
				return true;
			}
			boolean prevented = replies.quorum().isEnoughToPrevent(replies.count(Boolean.FALSE::equals));
			return prevented ? Boolean.FALSE : null;
		};
	}

	/**
	 * Decide that something is done, when a majority has done it.
	 */
	static <T> Verdict<T, Boolean> done() {
		return (replies) -> (replies.count((reply) -> true) >= replies.quorum().majority()) ? Boolean.TRUE : null;
	}

}
