package io.github.redislock.test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;

/**
 * The simulated failures between the templates and their store. Thread-safe.
 */
final class Faults {

	/** Guarded, like all fields below, by this object's monitor. */
	private final List<Request> repliesToLose = new ArrayList<>();

	private boolean down;

	synchronized void loseReply(Request request) {
		this.repliesToLose.add(request);
	}

	synchronized void setDown(boolean down) {
		this.down = down;
	}

	synchronized boolean isDown() {
		return this.down;
	}

	synchronized void clear() {
		this.repliesToLose.clear();
		this.down = false;
	}

	/**
	 * Send a request to the store, unless the store is down, and return the reply, unless
	 * the test requested its loss.
	 * @param requests the kinds of the request. The reply is lost if the test requested
	 * the loss of a reply to any of these kinds
	 */
	<T> CompletionStage<T> pass(LockTarget target, Supplier<CompletionStage<T>> question, Request... requests) {
		if (isDown()) {
			return failed(target, "the store of this test is down", false);
		}
		CompletionStage<T> reply = question.get();
		return takesReply(requests) ? failed(target, "the store's reply was lost, as this test requested", true)
				: reply;
	}

	private synchronized boolean takesReply(Request... requests) {
		return Stream.of(requests).anyMatch(this.repliesToLose::remove);
	}

	private static <T> CompletionStage<T> failed(LockTarget target, String what, boolean outcomeUnknown) {
		return CompletableFuture.failedFuture(new LockStoreException(target,
				"Lock '%s': %s".formatted(target.name(), what), null, true, outcomeUnknown));
	}

	/**
	 * The requests whose replies a test can lose.
	 */
	enum Request {

		ACQUIRE,

		RENEW,

		RELEASE

	}

}
