package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.redis.RedisErrors;
import io.github.redislock.internal.redis.ScriptCall;

/**
 * Renewals that are sent with one script call.
 */
final class RenewBatch {

	/**
	 * The maximum number of renewals. A batch of this size delays other commands by at
	 * most a millisecond.
	 */
	private static final int LARGEST = 200;

	private final List<Part> parts = new ArrayList<>();

	private final Duration timeout;

	/**
	 * Create an empty batch.
	 * @param timeout how long to wait for the reply
	 */
	RenewBatch(Duration timeout) {
		this.timeout = timeout;
	}

	Duration timeout() {
		return this.timeout;
	}

	/**
	 * Add a request.
	 * @param call the call that renews only this lock
	 * @return a future that becomes {@code true} if the owner still holds the lock
	 */
	CompletableFuture<Boolean> add(LockTarget target, ScriptCall call) {
		CompletableFuture<Boolean> reply = new CompletableFuture<>();
		this.parts.add(new Part(target, call, reply));
		return reply;
	}

	/**
	 * Return whether there are several requests.
	 */
	boolean isSeveral() {
		return this.parts.size() > 1;
	}

	boolean isFull() {
		return this.parts.size() == LARGEST;
	}

	/**
	 * Return a batch for each request. The requests keep their futures.
	 */
	List<RenewBatch> split() {
		return this.parts.stream().map((part) -> {
			RenewBatch single = new RenewBatch(this.timeout);
			single.parts.add(part);
			return single;
		}).toList();
	}

	ScriptCall call() {
		return ScriptCalls.joined(this.parts.stream().map(Part::call).toList());
	}

	/**
	 * Complete the requests.
	 * @param reply the result of the script: the server's clock, then one result for each
	 * request
	 */
	void settle(List<?> reply) {
		if (reply.size() != this.parts.size() + 1) {
			fail(new IllegalStateException(
					"Redis sent %d replies to %d renewals".formatted(reply.size() - 1, this.parts.size())));
			return;
		}
		for (int index = 0; index < this.parts.size(); index++) {
			this.parts.get(index).reply().complete(isOwners(reply, index));
		}
	}

	/**
	 * Fail the requests. If only acknowledgements of replicas are missing, the script has
	 * run: a request whose owner no longer holds the lock completes with {@code false}.
	 */
	void fail(Throwable failure) {
		List<?> reply = RedisErrors.replyWithoutReplicas(failure);
		for (int index = 0; index < this.parts.size(); index++) {
			Part part = this.parts.get(index);
			if (reply != null && !isOwners(reply, index)) {
				part.reply().complete(false);
			}
			else {
				part.reply().completeExceptionally(translate(part, failure));
			}
		}
	}

	private static boolean isOwners(List<?> reply, int index) {
		return (Long) reply.get(index + 1) == 1;
	}

	private LockException translate(Part part, Throwable failure) {
		String key = LockKeys.text(part.call().keys().get(0));
		return RedisErrors.translate("renew", part.target(), key, this.timeout, failure);
	}

	/**
	 * One request, and its reply.
	 */
	private record Part(LockTarget target, ScriptCall call, CompletableFuture<Boolean> reply) {
	}

}
