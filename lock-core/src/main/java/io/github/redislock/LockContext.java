package io.github.redislock;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The locks of the current thread.
 * <p>
 * {@link #current()} is the lock under which its work runs: inside
 * {@link LockOperations#execute} and inside methods with a lock annotation.
 * {@code requireHeld} makes sure that code which needs a lock does not run without it:
 * <pre class="code">
 * &#64;DistributedLock(name = "account", key = "#id")
 * public void book(String id, Entry entry) {
 *     LockContext.requireHeld("account", id);
 *     this.ledger.append(id, entry, LockContext.current().fencingToken());
 * }
 * </pre>
 * <p>
 * All forms of {@code requireHeld} have one rule: the thread must hold the lock that they
 * name, or any, and must have lost none of its locks. So a call that bypassed the proxy,
 * such as one from the same object, fails at once, and so does a step of long work after
 * a loss, each time until the lost lock is released. The loss of a lock with
 * {@link OnLost#IGNORE} fails the check only if no other lock of the thread fulfils it.
 * The store is asked only if it alone knows whether the lock is held.
 * <p>
 * The locks of a thread are those under which its work runs, and handles that it
 * acquired. Handles with {@link LockOptions#reentrant reentrant(false)} and
 * {@linkplain LockHandle#detach detached} ones do not count, since another thread may use
 * them: ask {@link LockHandle#isHeld()}. Neither do handles that were garbage collected.
 */
public final class LockContext {

	private static final ThreadLocal<@Nullable Assumption> ASSUMPTION = new ThreadLocal<>();

	private LockContext() {
	}

	/**
	 * Return the innermost lock under which this thread's work runs.
	 * @return its handle
	 * @throws IllegalStateException if this thread runs no locked work, as in a call that
	 * bypassed the proxy
	 */
	public static LockHandle current() {
		List<LockHandle> handles = ThreadLocks.ofWork();
		if (handles.isEmpty()) {
			throw notHeld("No lock is held", List.of());
		}
		return handles.get(0);
	}

	/**
	 * Fail unless this thread holds a lock, and has lost none.
	 * @throws IllegalStateException if it holds none
	 * @throws LockLostException if it has lost one
	 */
	public static void requireHeld() {
		if (isHeld((lock) -> true)) {
			return;
		}
		throw notHeld("No lock is held", List.of());
	}

	/**
	 * Fail unless this thread holds the lock of that name and has it alone, and has lost
	 * none. A lock that it shares, for reading or by a permit, is not enough: check that
	 * with {@link #requireHeld(LockTarget)}.
	 * @param name the complete name; for an annotation with a key, {@code name:key}
	 * @throws IllegalStateException if it does not hold that lock; the message says what
	 * is held instead
	 * @throws LockLostException if it has lost this lock, or another one
	 */
	public static void requireHeld(String name) {
		requireHeld(LockTarget.of(name));
	}

	/**
	 * Fail unless this thread holds the lock of that name and key and has it alone, and
	 * has lost none.
	 * @param name the name
	 * @param key the key, as in an annotation
	 * @throws IllegalStateException if it does not hold that lock; the message says what
	 * is held instead
	 * @throws LockLostException if it has lost this lock, or another one
	 * @see LockTarget#of(String, Object)
	 */
	public static void requireHeld(String name, Object key) {
		requireHeld(LockTarget.of(name, key));
	}

	/**
	 * Fail unless this thread holds a lock, exclusive or shared as the target says, and
	 * has lost none.
	 * <p>
	 * An exclusive holder passes every check of the same lock, so {@code
	 * requireHeld(LockTarget.of("price-list").forReading())} passes for readers and
	 * writers. The number of permits does not matter: a holder of one permit passes the
	 * check for any number. A reader holds no permit.
	 * @param target the lock; if it is several, one handle must hold them all
	 * @throws IllegalStateException if it does not hold that lock; the message says what
	 * is held instead
	 * @throws LockLostException if it has lost this lock, or another one
	 */
	public static void requireHeld(LockTarget target) {
		if (isHeld((lock) -> lock.covers(target))) {
			return;
		}
		throw notHeld("Lock '%s' is not held".formatted(target), ThreadLocks.taken());
	}

	/**
	 * Fail if this thread has lost a lock, but pass if it holds none. For code that runs
	 * with and without locks, such as a guard of all transactions. Locks with
	 * {@link OnLost#IGNORE} do not count.
	 * @throws LockLostException if work is no longer protected
	 */
	public static void requireNoneLost() {
		for (CallersLock lock : ThreadLocks.taken()) {
			if (lock.onLost() != OnLost.IGNORE && lock.isLost()) {
				throw lock.lost();
			}
		}
	}

	/**
	 * Let {@code requireHeld} pass on this thread, for the unit test of a class without
	 * its proxy. <pre class="code">
	 * try (LockContext.Assumption locked = LockContext.assumeHeld()) {
	 *     new Accounts(repository).book("7", entry);
	 * }
	 * </pre>
	 * @return to be closed by the same thread; until then {@code requireHeld} passes
	 */
	public static Assumption assumeHeld() {
		Assumption assumption = new Assumption(ASSUMPTION.get());
		ASSUMPTION.set(assumption);
		return assumption;
	}

	/**
	 * Return whether this thread holds one of the wanted locks. Fail if it has lost any,
	 * unless the loss is ignored and it holds another of those.
	 */
	private static boolean isHeld(Predicate<CallersLock> wanted) {
		if (ASSUMPTION.get() != null) {
			return true;
		}
		requireNoneLost();
		CallersLock lost = null;
		for (CallersLock lock : ThreadLocks.taken()) {
			if (!wanted.test(lock)) {
				continue;
			}
			if (!lock.isLost()) {
				return true;
			}
			lost = lock;
		}
		if (lost != null) {
			throw lost.lost();
		}
		return false;
	}

	private static IllegalStateException notHeld(String problem, List<CallersLock> present) {
		String held = present.stream()
			.filter(CallersLock::isHeld)
			.map((lock) -> "'" + lock.target() + "'")
			.collect(Collectors.joining(", "));
		return new IllegalStateException(("%s for the work of this thread%s: call it through LockOperations.execute, or"
				+ " the annotated method through its Spring bean (not from within the same object, and not on another"
				+ " thread)")
			.formatted(problem, held.isEmpty() ? "" : ", which holds " + held));
	}

	/**
	 * Lets {@code requireHeld} pass until it is closed.
	 */
	public static final class Assumption implements AutoCloseable {

		private final @Nullable Assumption outer;

		private Assumption(@Nullable Assumption outer) {
			this.outer = outer;
		}

		/**
		 * Let {@code requireHeld} fail again, unless there is another assumption around
		 * this one. Closing twice is harmless.
		 */
		@Override
		public void close() {
			if (ASSUMPTION.get() != this) {
				return;
			}
			if (this.outer != null) {
				ASSUMPTION.set(this.outer);
			}
			else {
				ASSUMPTION.remove();
			}
		}

	}

}
