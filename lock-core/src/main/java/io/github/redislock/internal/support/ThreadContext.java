package io.github.redislock.internal.support;

import org.jspecify.annotations.Nullable;

/**
 * The locks of a thread, as the root package sees them. The engine implements it, and is
 * above the root package.
 *
 * @param <H> the type of the locks of work
 * @param <T> the type of a lock's target
 */
public interface ThreadContext<H, T> {

	/** Empty for a thread without locks. Only the engine writes it. */
	ThreadLocal<@Nullable ThreadContext<?, ?>> CURRENT = new ThreadLocal<>();

	/**
	 * Return the innermost lock under which the thread's work runs, if any.
	 */
	@Nullable H innermost();

	/**
	 * Return whether the thread holds a lock that covers a target, or any lock if there
	 * is no target. Fail like {@link #requireNoneLost()}, or if the thread has lost all
	 * such locks that it had.
	 */
	boolean holds(@Nullable T wanted);

	/**
	 * Fail if the thread has lost a lock whose loss is not ignored.
	 */
	void requireNoneLost();

	/**
	 * Return the targets of the locks that the thread acquired and holds, for a message.
	 */
	String heldLocks();

}
