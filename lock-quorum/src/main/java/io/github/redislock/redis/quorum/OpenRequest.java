package io.github.redislock.redis.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * An open request: the attempts on which a server may still act. The last attempt also
 * stays when it is over, because it determines the next number, unless that is 0.
 *
 * @param attempts at least one, oldest first, with distinct numbers
 * @param until the time after which the request no longer matters, by
 * {@link QuorumPauses#nanoTime()}
 */
record OpenRequest(List<QuorumAcquisition> attempts, long until) {

	/**
	 * The maximum number of attempts. If there are more, the oldest is forgotten, and any
	 * locks that it still holds remain until they expire.
	 */
	private static final int MOST_ATTEMPTS = 16;

	/**
	 * Return an open request with its next attempt. If the last attempt has the same
	 * number and is not over, the new one replaces it, and is in doubt on each server
	 * where the old one may hold the lock.
	 */
	static OpenRequest ask(@Nullable OpenRequest present, Quorum quorum, QuorumPauses pauses, QuorumLeftovers leftovers,
			AcquireRequest request, long until) {
		List<QuorumAcquisition> attempts = new ArrayList<>((present != null) ? present.attempts() : List.of());
		QuorumAcquisition last = (present != null) ? present.last() : null;
		int number = (last != null) ? last.nextNumber() : 0;
		// No server still acts on an attempt that is over, even if it won.
		QuorumAcquisition before = (last != null && last.number() == number && !last.isOver()) ? last : null;
		attempts.removeIf((attempt) -> attempt == before || attempt.isOver());
		if (attempts.size() == MOST_ATTEMPTS) {
			attempts.remove(0);
		}
		attempts.add(new QuorumAcquisition(quorum, pauses, leftovers, request, number, before));
		return new OpenRequest(List.copyOf(attempts), until);
	}

	QuorumAcquisition last() {
		return this.attempts.get(this.attempts.size() - 1);
	}

	/**
	 * Return this request without an attempt that is over, unless that attempt determines
	 * the next number.
	 * @return the rest, or {@code null} if nothing has to be remembered
	 */
	@Nullable OpenRequest without(QuorumAcquisition over, long until) {
		boolean needed = over == last() && over.nextNumber() > 0;
		List<QuorumAcquisition> left = this.attempts.stream().filter((attempt) -> needed || attempt != over).toList();
		return left.isEmpty() ? null : new OpenRequest(left, until);
	}

	/**
	 * Return the request with each id under which servers may know it.
	 */
	List<AcquireRequest> names(AcquireRequest request) {
		return IntStream.concat(IntStream.of(0), this.attempts.stream().mapToInt(QuorumAcquisition::number))
			.distinct()
			.mapToObj((known) -> QuorumAcquisition.named(request, known))
			.toList();
	}

	boolean isOver() {
		return this.attempts.stream().allMatch(QuorumAcquisition::isOver);
	}

}
