package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.github.redislock.LockException;
import io.github.redislock.LockStore.RenewRequest;

/**
 * Renewals of several locks that go to Redis with one request.
 */
final class RenewalBatch {

	/**
	 * Large enough to cost little, small enough to keep others waiting for no more than a
	 * millisecond.
	 */
	private static final int LARGEST = 200;

	private final List<RenewRequest> renewals = new ArrayList<>();

	private final List<byte[]> keys = new ArrayList<>();

	private final List<CompletableFuture<Boolean>> answers = new ArrayList<>();

	private final Duration timeout;

	/**
	 * Create an empty batch.
	 * @param timeout how long an answer is waited for
	 */
	RenewalBatch(Duration timeout) {
		this.timeout = timeout;
	}

	Duration timeout() {
		return this.timeout;
	}

	/**
	 * Add a renewal.
	 * @param lock the lock key
	 * @param fence its fence key
	 * @return what will be answered
	 */
	CompletableFuture<Boolean> add(RenewRequest renewal, byte[] lock, byte[] fence) {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		this.renewals.add(renewal);
		this.keys.add(lock);
		this.keys.add(fence);
		this.answers.add(answer);
		return answer;
	}

	/**
	 * Return whether there are several renewals.
	 */
	boolean isShared() {
		return this.renewals.size() > 1;
	}

	/**
	 * Return a batch for each renewal, with the same answers.
	 */
	List<RenewalBatch> split() {
		return IntStream.range(0, this.renewals.size()).mapToObj(this::only).toList();
	}

	private RenewalBatch only(int index) {
		RenewalBatch alone = new RenewalBatch(this.timeout);
		alone.renewals.add(this.renewals.get(index));
		alone.keys.addAll(this.keys.subList(2 * index, 2 * index + 2));
		alone.answers.add(this.answers.get(index));
		return alone;
	}

	boolean isFull() {
		return this.renewals.size() == LARGEST;
	}

	List<RenewRequest> renewals() {
		return this.renewals;
	}

	List<byte[]> keys() {
		return this.keys;
	}

	/**
	 * Pass on the answers.
	 * @param reply what the script returned: its clock, then one answer for each
	 */
	void settle(List<?> reply) {
		if (reply.size() != this.answers.size() + 1) {
			fail(new IllegalStateException(
					"Redis gave %d answers to %d renewals".formatted(reply.size() - 1, this.answers.size())));
			return;
		}
		for (int index = 0; index < this.answers.size(); index++) {
			this.answers.get(index).complete((Long) reply.get(index + 1) == 1);
		}
	}

	/**
	 * Pass on that there are no answers. What the script has refused is refused all the
	 * same if only the replicas do not know of the others.
	 */
	void fail(Throwable failure) {
		List<?> reply = RedisErrors.answerWithoutReplicas(failure);
		for (int index = 0; index < this.answers.size(); index++) {
			CompletableFuture<Boolean> answer = this.answers.get(index);
			if (reply != null && (Long) reply.get(index + 1) == 0) {
				answer.complete(false);
			}
			else {
				answer.completeExceptionally(translate(index, failure));
			}
		}
	}

	private LockException translate(int index, Throwable failure) {
		String key = RedisLockStore.text(this.keys.get(2 * index));
		return RedisErrors.translate("renew", this.renewals.get(index).target(), key, this.timeout, failure);
	}

}
