package io.github.redislock.redis.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one request while it is open: the questions on which some server may
 * still act, and the number of the next one.
 *
 * @param questions those that are not over, oldest first, no two with one number
 * @param number the next question's, if no question is left that knows better
 * @param until when it matters no more, as of {@link QuorumPauses#nanoTime()}
 */
record OpenRequest(List<QuorumAcquisition> questions, int number, long until) {

	/** What the oldest of more has left runs out by itself. */
	private static final int MOST_QUESTIONS = 16;

	/**
	 * Begin the next question. It takes the place of the last one if it is the same, and
	 * inherits its doubts.
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
	 * Return the last question that is not over.
	 */
	QuorumAcquisition last() {
		return last(this.questions);
	}

	/**
	 * Return what is left when a question is over.
	 * @return {@code null} if nothing is
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
	 * Return under which names servers may know the request.
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
