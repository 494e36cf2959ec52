package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.github.redislock.LockException;
import io.github.redislock.redis.client.RedisErrors;
import io.github.redislock.store.RenewRequest;

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

	/** Of each renewal. */
	private final List<List<byte[]>> keys = new ArrayList<>();

	private final List<CompletableFuture<Boolean>> answers = new ArrayList<>();

	private final LockScript script;

	private final Duration timeout;

	/**
	 * Create an empty batch.
	 * @param script renews locks of one kind
	 * @param timeout how long an answer is waited for
	 */
	RenewalBatch(LockScript script, Duration timeout) {
		this.script = script;
		this.timeout = timeout;
	}

	LockScript script() {
		return this.script;
	}

	Duration timeout() {
		return this.timeout;
	}

	/**
	 * Add a renewal.
	 * @param keys what the script needs, the lock key first
	 * @return what will be answered
	 */
	CompletableFuture<Boolean> add(RenewRequest renewal, List<byte[]> keys) {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		this.renewals.add(renewal);
		this.keys.add(keys);
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
		RenewalBatch alone = new RenewalBatch(this.script, this.timeout);
		alone.renewals.add(this.renewals.get(index));
		alone.keys.add(this.keys.get(index));
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
		return this.keys.stream().flatMap(List::stream).toList();
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
		String key = RedisLockStore.text(this.keys.get(index).get(0));
		return RedisErrors.translate("renew", this.renewals.get(index).target(), key, this.timeout, failure);
	}

}
