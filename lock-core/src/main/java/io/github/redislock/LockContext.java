package io.github.redislock;

import java.util.Optional;

import io.github.redislock.internal.support.ThreadContext;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The locks of the current thread.
 * <p>
 * {@link #current()} is the lock under which the current work runs, for example in
 * {@link LockOperations#execute} and in methods with a lock annotation.
 * {@code requireHeld} makes sure that code which needs a lock does not run without it:
 * <pre class="code">
 * &#64;DistributedLock(name = "account", key = "#id")
 * public void book(String id, Entry entry) {
 *     LockContext.requireHeld("account", id);
 *     this.ledger.append(id, entry, LockContext.current().fencingToken());
 * }
 * </pre>
 * <p>
 * All forms of {@code requireHeld} follow one rule: the thread must hold the named lock
 * (or any lock if none is named), and must not have lost any of its locks. So a call
 * without the lock, for example because it bypassed the proxy, fails at once. After a
 * loss, each check in a long task fails until the lost lock is released. The loss of a
 * lock with {@link OnLost#IGNORE} causes a failure only if no other lock of the thread
 * satisfies the check. The check sends a request to the store only if the process itself
 * cannot know whether the lock is still held.
 * <p>
 * The locks of a thread are the locks under which its work runs, and the handles that it
 * acquired. Handles with {@link LockOptions#reentrant reentrant(false)} and
 * {@linkplain LockHandle#detach detached} handles do not count, because another thread
 * may use them: call {@link LockHandle#isHeld()} instead. Handles that were garbage
 * collected do not count either.
 */
public final class LockContext {

	private static final ThreadLocal<@Nullable Object> ASSUMPTION = new ThreadLocal<>();

	private LockContext() {
	}

	/**
	 * Return the innermost lock under which this thread's work runs.
	 * @return its handle
	 * @throws IllegalStateException if this thread does not run work under a lock, for
	 * example because the call bypassed the proxy
	 */
	public static LockHandle current() {
		return present().map(ThreadContext::innermost).orElseThrow(() -> notHeld("No lock is held", ""));
	}

	/**
	 * Fail unless this thread holds a lock and has not lost any.
	 * @throws IllegalStateException if the thread holds no lock
	 * @throws LockLostException if the thread has lost a lock
	 */
	public static void requireHeld() {
		if (!isHeld(null)) {
			throw notHeld("No lock is held", "");
		}
	}

	/**
	 * Fail unless this thread holds the lock with the given name exclusively and has not
	 * lost any lock. A shared lock, for reading or with permits, is not enough: use
	 * {@link #requireHeld(LockTarget)} to check for it.
	 * @param name the complete name; if the lock has a key, use
	 * {@link #requireHeld(String, Object)}
	 * @throws IllegalStateException if the thread does not hold that lock; the message
	 * says which locks it holds
	 * @throws LockLostException if the thread has lost this lock or another one
	 */
	public static void requireHeld(String name) {
		requireHeld(LockTarget.of(name));
	}

	/**
	 * Fail unless this thread holds the lock with the given name and key exclusively and
	 * has not lost any lock.
	 * @param name the name
	 * @param key the key, as in an annotation
	 * @throws IllegalStateException if the thread does not hold that lock; the message
	 * says which locks it holds
	 * @throws LockLostException if the thread has lost this lock or another one
	 * @see LockTarget#of(String, Object)
	 */
	public static void requireHeld(String name, Object key) {
		requireHeld(LockTarget.of(name, key));
	}

	/**
	 * Fail unless this thread holds the given lock, exclusive or shared, and has not lost
	 * any lock.
	 * <p>
	 * An exclusive holder passes every check of the same lock, so
	 * {@code requireHeld(LockTarget.of("price-list").forReading())} passes for readers
	 * and writers. The number of permits does not matter: the holder of a permit passes
	 * the check for any number. A reader does not pass the check for a permit.
	 * @param target the lock; if there are several, one handle must hold all of them
	 * @throws IllegalStateException if the thread does not hold that lock; the message
	 * says which locks it holds
	 * @throws LockLostException if the thread has lost this lock or another one
	 */
	public static void requireHeld(LockTarget target) {
		Assert.notNull(target, "lock target must not be null");
		if (!isHeld(target)) {
			throw notHeld("Lock '%s' is not held".formatted(target),
					present().map(ThreadContext::heldLocks).orElse(""));
		}
	}

	/**
	 * Fail if this thread has lost a lock, but pass if it holds none. This is for code
	 * that runs both with and without locks, such as a check before every commit. Locks
	 * with {@link OnLost#IGNORE} do not count.
	 * @throws LockLostException if work is no longer protected
	 */
	public static void requireNoneLost() {
		present().ifPresent(ThreadContext::requireNoneLost);
	}

	/**
	 * Let {@code requireHeld} pass on this thread, for the unit test of a class without
	 * its proxy. <pre class="code">
	 * try (LockContext.Assumption locked = LockContext.assumeHeld()) {
	 *     new Accounts(repository).book("7", entry);
	 * }
	 * </pre>
	 * @return an assumption that the same thread must close; until then
	 * {@code requireHeld} passes
	 */
	public static Assumption assumeHeld() {
		Object outer = ASSUMPTION.get();
		Object own = new Object();
		ASSUMPTION.set(own);
		return () -> {
			if (own.equals(ASSUMPTION.get())) {
				ASSUMPTION.set(outer);
			}
		};
	}

	/**
	 * Return whether this thread holds the wanted lock, or any if none is named, or an
	 * assumption is open.
	 */
	private static boolean isHeld(@Nullable LockTarget wanted) {
		return ASSUMPTION.get() != null || present().filter((locks) -> locks.holds(wanted)).isPresent();
	}

	@SuppressWarnings("unchecked")
	private static Optional<ThreadContext<LockHandle, LockTarget>> present() {
		return Optional.ofNullable((ThreadContext<LockHandle, LockTarget>) ThreadContext.CURRENT.get());
	}

	private static IllegalStateException notHeld(String problem, String held) {
		return new IllegalStateException(("%s for the work of this thread%s: run the work with LockOperations.execute,"
				+ " or call the annotated method through its Spring bean (not from within the same object, and not on"
				+ " another thread)")
			.formatted(problem, held.isEmpty() ? "" : ", which holds " + held));
	}

	/**
	 * Lets {@code requireHeld} pass until it is closed.
	 */
	@FunctionalInterface
	public interface Assumption extends AutoCloseable {

		/**
		 * End this assumption, so that {@code requireHeld} checks the locks again unless
		 * there is an outer assumption. Closing twice is harmless.
		 */
		@Override
		void close();

	}

}
