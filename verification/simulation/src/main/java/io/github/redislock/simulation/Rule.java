package io.github.redislock.simulation;

import java.util.List;

import io.github.redislock.HeldLock;
import io.github.redislock.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * A promise, held against what happens in one world. Each method is told of one kind of
 * event; a rule overrides those that concern it.
 */
abstract class Rule {

	private final World world;

	Rule(World world) {
		this.world = world;
	}

	final World world() {
		return this.world;
	}

	/**
	 * Note that the promise is broken.
	 */
	final void broken(String text) {
		this.world.broken(new Violation(getClass().getSimpleName(), text));
	}

	/**
	 * A caller has asked.
	 */
	void asked(Attempt attempt) {
	}

	/**
	 * A caller has the lock in its hands.
	 */
	void given(Attempt attempt, HeldLock handle) {
	}

	/**
	 * A caller stops waiting, without the lock.
	 */
	void failed(Attempt attempt, Throwable failure) {
	}

	/**
	 * A caller was told that its lock is lost.
	 */
	void lost(Attempt attempt) {
	}

	/**
	 * A caller begins to release its lock.
	 */
	void releasing(Attempt attempt) {
	}

	/**
	 * A caller was told what became of its release.
	 */
	void released(Attempt attempt, @Nullable ReleaseOutcome outcome, @Nullable Throwable failure) {
	}

	/**
	 * An instance asks a server to run a script, or would if it were connected.
	 */
	void asks(String script, List<byte[]> arguments) {
	}

	/**
	 * An instance has the reply in time.
	 */
	void replied(String script, List<byte[]> arguments, Object reply) {
	}

	/**
	 * An instance is told something by a server.
	 */
	void heard(String instance, String message) {
	}

	/**
	 * A server has run a script.
	 */
	void ran(Server.Evaluation evaluation) {
	}

	/**
	 * An instance goes on that stood still.
	 */
	void goneOn(Instance instance) {
	}

	/**
	 * Nothing goes wrong any more, all callers have ended, and some seconds have passed.
	 */
	void calm() {
	}

	/**
	 * All instances have ended, and all leases.
	 */
	void end() {
	}

}
