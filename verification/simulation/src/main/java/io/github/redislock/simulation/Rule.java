package io.github.redislock.simulation;

import java.util.List;

import io.github.redislock.HeldLock;
import io.github.redislock.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * A promise that is checked against the events in one world. Each method is called for
 * one kind of event, and a rule overrides the methods that it needs.
 */
abstract class Rule {

	private final World world;

	Rule(World world) {
		this.world = world;
	}

	final World world() {
		return this.world;
	}

	final void broken(String text) {
		this.world.broken(new Violation(getClass().getSimpleName(), text));
	}

	/**
	 * A caller has begun to acquire a lock.
	 */
	void asked(Attempt attempt) {
	}

	/**
	 * A caller was granted the lock.
	 */
	void given(Attempt attempt, HeldLock handle) {
	}

	/**
	 * A hold began, so the caller did not enter one of its holds again. Called after
	 * {@link #given}.
	 */
	void began(Attempt attempt, HeldLock handle) {
	}

	/**
	 * A caller stopped waiting without the lock.
	 */
	void failed(Attempt attempt, Throwable failure) {
	}

	/**
	 * A caller was notified that its lock is lost.
	 */
	void lost(Attempt attempt) {
	}

	/**
	 * A caller begins to release its lock.
	 */
	void releasing(Attempt attempt) {
	}

	/**
	 * A caller knows the outcome of its release.
	 */
	void released(Attempt attempt, @Nullable ReleaseOutcome outcome, @Nullable Throwable failure) {
	}

	/**
	 * An instance sends a script to a server, or tries to while it is not connected.
	 */
	void asks(String script, List<byte[]> arguments) {
	}

	/**
	 * An instance has received a reply in time.
	 */
	void replied(String script, List<byte[]> arguments, Object reply) {
	}

	/**
	 * An instance has received a message from a server.
	 */
	void heard(String instance, String message) {
	}

	/**
	 * A server has run a script.
	 */
	void ran(Server.Evaluation evaluation) {
	}

	/**
	 * A stopped instance has resumed.
	 */
	void goneOn(Instance instance) {
	}

	/**
	 * All faults have ended, all callers have finished, and a few seconds have passed.
	 */
	void calm() {
	}

	/**
	 * All instances and all leases have ended.
	 */
	void end() {
	}

}
