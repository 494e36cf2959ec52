package io.github.redislock.annotation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.LockContext;

/**
 * Work that ends when the test ends it.
 */
final class ControlledWork {

	/** Ends the work. */
	final CompletableFuture<String> end = new CompletableFuture<>();

	/** How often the code of the method was reached. */
	final AtomicInteger calls = new AtomicInteger();

	/** The fencing token that the code of the method saw. */
	volatile long token;

	/** Whether the work was cancelled or interrupted. */
	volatile boolean stopped;

	/**
	 * Begin, called by the code of the method.
	 */
	CompletableFuture<String> begin() {
		this.token = LockContext.current().fencingToken();
		this.calls.incrementAndGet();
		return this.end;
	}

	/**
	 * Begin, and wait for the end on the current thread.
	 */
	String run() throws InterruptedException {
		CompletableFuture<String> ended = begin();
		try {
			return ended.get();
		}
		catch (java.util.concurrent.ExecutionException ex) {
			throw (ex.getCause() instanceof RuntimeException failure) ? failure : new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			this.stopped = true;
			throw ex;
		}
	}

	boolean hasBegun() {
		return this.calls.get() > 0;
	}

	boolean wasStopped() {
		return this.stopped || this.end.isCancelled();
	}

}
