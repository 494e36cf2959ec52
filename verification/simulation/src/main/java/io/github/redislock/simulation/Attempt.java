package io.github.redislock.simulation;

import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

import io.github.redislock.HeldLock;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.engine.SimulatedEngine;
import org.jspecify.annotations.Nullable;

/**
 * Follows one caller from its request to its release, through one of the APIs. As an
 * executor, runs tasks on the caller's thread if the caller has one.
 */
abstract class Attempt implements Executor {

	private final int number;

	private final Instance instance;

	private final Ask ask;

	/** The time of the request, in true time. */
	private final long askedAt;

	/** The result of {@link Host#runningNanos()} at the time of the request. */
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
	 * Return the time since the request, by the clock of the instance, without the time
	 * during which the instance was stopped.
	 */
	long waitedNanos() {
		return this.instance.host().runningNanos() - this.askedLocally;
	}

	/**
	 * Return the thread of the caller, or {@code null} if the caller uses the
	 * asynchronous API.
	 */
	@Nullable Caller caller() {
		return null;
	}

	abstract void begin(World world);

	abstract void stopWaiting(World world);

	abstract void onLost(Runnable action);

	abstract void twist(World world);

	abstract void release(BiConsumer<@Nullable ReleaseOutcome, @Nullable Throwable> told);

	/**
	 * Return a view of the lock. Reading it does not count as a use of the lock.
	 */
	HeldLock handle() {
		HeldLock present = this.handle;
		if (present == null) {
			throw new IllegalStateException(this + " has no lock");
		}
		return present;
	}

	/**
	 * Return whether this attempt shares a grant with another one, because the same
	 * thread made both or because both use the same owner token.
	 */
	boolean sharesGrant(Attempt other) {
		HeldLock own = this.handle;
		HeldLock others = other.handle;
		return own != null && others != null && own.owner().equals(others.owner())
				&& own.fencingToken() == others.fencingToken()
				&& ((caller() != null && caller() == other.caller()) || sharesOwner(other));
	}

	/**
	 * Return whether this attempt uses the same explicit owner token as another one.
	 */
	boolean sharesOwner(Attempt other) {
		String own = this.ask.terms().owner();
		return own != null && own.equals(other.ask.terms().owner());
	}

	/**
	 * Return whether this attempt still counts, which is the case unless its process died
	 * while the caller waited for the lock or held it.
	 */
	boolean hasSay() {
		return !this.instance.host().isDead() || this.state == State.RELEASING || this.state == State.OVER;
	}

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

	boolean isLost() {
		return this.lost;
	}

	boolean isAsking() {
		return this.state == State.ASKING;
	}

	/**
	 * Return whether the caller holds a lock that it has not begun to release.
	 */
	boolean isHolding() {
		return this.state == State.HOLDING;
	}

	/**
	 * Return whether this attempt is finished without having had the lock.
	 */
	boolean hasFailed() {
		return this.state == State.OVER && this.handle == null;
	}

	/**
	 * Return whether this attempt is finished or its process is dead.
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
