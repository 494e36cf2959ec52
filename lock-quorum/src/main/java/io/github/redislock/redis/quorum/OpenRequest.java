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
 * @param questions the attempts that are not over, oldest first, with distinct numbers
 * @param number the number of the next attempt, unless an open attempt determines it
 * @param until the time after which the request no longer matters, by
 * {@link QuorumPauses#nanoTime()}
 */
record OpenRequest(List<QuorumAcquisition> questions, int number, long until) {

	/**
	 * The maximum number of attempts. If there are more, the oldest is forgotten, and any
	 * locks that it still holds expire.
	 */
	private static final int MOST_QUESTIONS = 16;

	/**
	 * Return an open request with its next attempt. If the last attempt has the same
	 * number, the new one replaces it, and regards the same servers as in doubt.
	 */
	static OpenRequest ask(@Nullable OpenRequest present, Quorum quorum, QuorumPauses pauses, QuorumLeftovers leftovers,
			AcquireRequest request, long until) {
		List<QuorumAcquisition> questions = new ArrayList<>((present != null) ? present.questions() : List.of());
		int number = (present != null) ? present.nextNumber() : 0;
		QuorumAcquisition before = null;
		if (!questions.isEmpty() && last(questions).number() == number) {
			before = questions.remove(questions.size() - 1);
		}
		if (questions.size() == MOST_QUESTIONS) {
			questions.remove(0);
		}
		questions.add(new QuorumAcquisition(quorum, pauses, leftovers, request, number, before));
		return new OpenRequest(List.copyOf(questions), number, until);
	}

	/**
	 * Return the last attempt that is not over.
	 */
	QuorumAcquisition last() {
		return last(this.questions);
	}

	/**
	 * Return this request without an attempt that is over.
	 * @return the rest, or {@code null} if nothing has to be remembered
	 */
	@Nullable OpenRequest without(QuorumAcquisition over, long until) {
		if (!this.questions.contains(over)) {
			return this;
		}
		List<QuorumAcquisition> left = this.questions.stream().filter((question) -> question != over).toList();
		int next = Math.max(this.number, over.nextNumber());
		return (left.isEmpty() && next == 0) ? null : new OpenRequest(left, next, until);
	}

	/**
	 * Return the request with each id under which servers may know it.
	 */
	List<AcquireRequest> names(AcquireRequest request) {
		return IntStream
			.concat(IntStream.of(0, this.number), this.questions.stream().mapToInt(QuorumAcquisition::number))
			.distinct()
			.mapToObj((known) -> QuorumAcquisition.question(request, known))
			.toList();
	}

	private int nextNumber() {
		return this.questions.isEmpty() ? this.number : Math.max(this.number, last().nextNumber());
	}

	private static QuorumAcquisition last(List<QuorumAcquisition> questions) {
		return questions.get(questions.size() - 1);
	}

}
