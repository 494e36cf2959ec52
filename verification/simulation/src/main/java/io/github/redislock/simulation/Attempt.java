package io.github.redislock.simulation;

import java.util.concurrent.CompletableFuture;

import io.github.redislock.AsyncLockHandle;
import org.jspecify.annotations.Nullable;

/**
 * One caller's way from its question to its release.
 */
final class Attempt {

	private final int number;

	private final Instance instance;

	private final Ask ask;

	/** True time. */
	private final long askedAt;

	/** By the clock of the instance. */
	private final long askedLocally;

	private final long stoppedBefore;

	private @Nullable CompletableFuture<AsyncLockHandle> future;

	/** Kept, so that no lock is found to be dropped whenever memory is collected. */
	private @Nullable AsyncLockHandle handle;

	private State state = State.ASKING;

	private boolean lost;

	Attempt(int number, Instance instance, Ask ask, long askedAt) {
		this.number = number;
		this.instance = instance;
		this.ask = ask;
		this.askedAt = askedAt;
		this.askedLocally = instance.host().nanoTime();
		this.stoppedBefore = instance.host().stopped();
	}

	int number() {
		return this.number;
	}

	Instance instance() {
		return this.instance;
	}

	Ask ask() {
		return this.ask;
	}

	long askedAt() {
		return this.askedAt;
	}

	/**
	 * Return how long ago it was asked by the clock of the instance, without the time
	 * during which that stood still.
	 */
	long waitedNanos() {
		Host host = this.instance.host();
		return host.nanoTime() - this.askedLocally - (host.stopped() - this.stoppedBefore);
	}

	void future(CompletableFuture<AsyncLockHandle> future) {
		this.future = future;
	}

	@Nullable CompletableFuture<AsyncLockHandle> future() {
		return this.future;
	}

	AsyncLockHandle handle() {
		AsyncLockHandle present = this.handle;
		if (present == null) {
			throw new IllegalStateException(this + " has no lock");
		}
		return present;
	}

	void holds(AsyncLockHandle handle) {
		this.handle = handle;
		this.state = State.HOLDING;
	}

	void releases() {
		this.state = State.RELEASING;
	}

	void over() {
		this.state = State.OVER;
	}

	void lose() {
		this.lost = true;
	}

	/**
	 * Return whether it was told that its lock is lost.
	 */
	boolean isLost() {
		return this.lost;
	}

	boolean isAsking() {
		return this.state == State.ASKING;
	}

	/**
	 * Return whether it has a lock in its hands that it has not begun to release.
	 */
	boolean isHolding() {
		return this.state == State.HOLDING;
	}

	/**
	 * Return whether nothing more is to come of it.
	 */
	boolean isOver() {
		return this.state == State.OVER || this.instance.host().isDead();
	}

	@Override
	public String toString() {
		return "#" + this.number;
	}

	private enum State {

		ASKING, HOLDING, RELEASING, OVER

	}

}
