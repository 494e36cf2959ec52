package io.github.redislock.simulation;

import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

import io.github.redislock.HeldLock;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.engine.SimulatedEngine;
import org.jspecify.annotations.Nullable;

/**
 * One caller's way from its question to its release, over one of the faces. Does
 * everything on the caller's thread, if it has one.
 */
abstract class Attempt implements Executor {

	private final int number;

	private final Instance instance;

	private final Ask ask;

	/** True time. */
	private final long askedAt;

	/** By the clock of the instance. */
	private final long askedLocally;

	private @Nullable HeldLock handle;

	private State state = State.ASKING;

	private boolean lost;

	Attempt(int number, Instance instance, Ask ask, long askedAt) {
		this.number = number;
		this.instance = instance;
		this.ask = ask;
		this.askedAt = askedAt;
		this.askedLocally = instance.host().runningNanos();
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
		return this.instance.host().runningNanos() - this.askedLocally;
	}

	/**
	 * Return the thread that waits, if one does.
	 */
	@Nullable Caller caller() {
		return null;
	}

	/**
	 * Ask for the lock.
	 */
	abstract void begin(World world);

	/**
	 * Stop waiting.
	 */
	abstract void stopWaiting(World world);

	/**
	 * Hear of the loss of the lock.
	 */
	abstract void onLost(Runnable action);

	/**
	 * Do with the lock what this caller does besides.
	 */
	abstract void twist(World world);

	/**
	 * Give the lock back.
	 * @param told is told what became of that
	 */
	abstract void release(BiConsumer<@Nullable ReleaseOutcome, @Nullable Throwable> told);

	/**
	 * Return the lock as others see it: to look at it is no use of it.
	 */
	HeldLock handle() {
		HeldLock present = this.handle;
		if (present == null) {
			throw new IllegalStateException(this + " has no lock");
		}
		return present;
	}

	/**
	 * Return whether this and another have one grant between them: their thread has taken
	 * the lock once more, or they use one owner token.
	 */
	boolean sharesGrant(Attempt other) {
		HeldLock own = this.handle;
		HeldLock others = other.handle;
		return own != null && others != null && own.owner().equals(others.owner())
				&& own.fencingToken() == others.fencingToken()
				&& ((caller() != null && caller() == other.caller()) || sharesOwner(other));
	}

	/**
	 * Return whether this and another use one owner token of their own.
	 */
	boolean sharesOwner(Attempt other) {
		String own = this.ask.terms().owner();
		return own != null && own.equals(other.ask.terms().owner());
	}

	/**
	 * Return whether it may act on a lock still, or has: only a process that has died
	 * with the lock, or when it waited for it, has not.
	 */
	boolean hasSay() {
		return !this.instance.host().isDead() || this.state == State.RELEASING || this.state == State.OVER;
	}

	/**
	 * Note the lock that this caller was given.
	 */
	final void holds(Object given) {
		this.handle = SimulatedEngine.seen(given);
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
