package io.github.redislock.redis.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * An open request: the attempts on which a server may still act, and the number of the
 * next one.
 *
 * @param attempts the attempts that are not over, oldest first, with distinct numbers
 * @param number the number of the next attempt, unless an open attempt determines it
 * @param until the time after which the request no longer matters, by
 * {@link QuorumPauses#nanoTime()}
 */
record OpenRequest(List<QuorumAcquisition> attempts, int number, long until) {

	/**
	 * The maximum number of attempts. If there are more, the oldest is forgotten, and any
	 * locks that it still holds remain until they expire.
	 */
	private static final int MOST_ATTEMPTS = 16;

	/**
	 * Return an open request with its next attempt. If the last attempt has the same
	 * number, the new one replaces it, and is in doubt on each server where the old one
	 * may hold the lock.
	 */
	static OpenRequest ask(@Nullable OpenRequest present, Quorum quorum, QuorumPauses pauses, QuorumLeftovers leftovers,
			AcquireRequest request, long until) {
		List<QuorumAcquisition> attempts = new ArrayList<>((present != null) ? present.attempts() : List.of());
		int number = (present != null) ? present.nextNumber() : 0;
		QuorumAcquisition before = null;
		if (!attempts.isEmpty() && last(attempts).number() == number) {
			before = attempts.remove(attempts.size() - 1);
		}
		if (attempts.size() == MOST_ATTEMPTS) {
			attempts.remove(0);
		}
		attempts.add(new QuorumAcquisition(quorum, pauses, leftovers, request, number, before));
		return new OpenRequest(List.copyOf(attempts), number, until);
	}

	QuorumAcquisition last() {
		return last(this.attempts);
	}

	/**
	 * Return this request without an attempt that is over.
	 * @return the rest, or {@code null} if nothing has to be remembered
	 */
	@Nullable OpenRequest without(QuorumAcquisition over, long until) {
		if (!this.attempts.contains(over)) {
			return this;
		}
		List<QuorumAcquisition> left = this.attempts.stream().filter((attempt) -> attempt != over).toList();
		int next = Math.max(this.number, over.nextNumber());
		return (left.isEmpty() && next == 0) ? null : new OpenRequest(left, next, until);
	}

	/**
	 * Return the request with each id under which servers may know it.
	 */
	List<AcquireRequest> names(AcquireRequest request) {
		return IntStream
			.concat(IntStream.of(0, this.number), this.attempts.stream().mapToInt(QuorumAcquisition::number))
			.distinct()
			.mapToObj((known) -> QuorumAcquisition.attempt(request, known))
			.toList();
	}

	private int nextNumber() {
		return this.attempts.isEmpty() ? this.number : Math.max(this.number, last().nextNumber());
	}

	private static QuorumAcquisition last(List<QuorumAcquisition> attempts) {
		return attempts.get(attempts.size() - 1);
	}

}
