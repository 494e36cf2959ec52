package io.github.redislock;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Makes sure that code which needs a lock does not run without it. <pre class="code">
 * &#64;DistributedLock(name = "account", key = "#id")
 * public void book(String id, Entry entry) {
 *     DistributedLocks.assertHeld("account", id);
 *     …
 * }
 * </pre>
 * <p>
 * A call that bypassed the proxy, such as one from the same object, fails at once. So
 * does a caller that should have taken the lock and did not. The check is local: the
 * store is not asked.
 * <p>
 * Three kinds of locks count: those of annotated methods and of
 * {@link LockOperations#execute} under which the current thread works, and handles that
 * this thread acquired. Handles with {@link LockOptions#reentrant reentrant(false)} and
 * handles that were {@linkplain LockHandle#detach detached} do not count.
 *
 * @see LockContext#requireHeld()
 */
public final class DistributedLocks {

	private static final ThreadLocal<@Nullable Assumption> ASSUMPTION = new ThreadLocal<>();

	private DistributedLocks() {
	}

	/**
	 * Fail unless this thread works under some lock.
	 * @throws IllegalStateException if it works under none
	 * @throws LockLostException if all of its locks were lost
	 */
	public static void assertHeld() {
		if (isAssumed()) {
			return;
		}
		requireHeld(handles(), "No lock is held");
	}

	/**
	 * Fail unless this thread works under a lock of that name and has it alone. A lock
	 * that it shares, for reading or by a permit, is not enough: check that with
	 * {@link #assertHeld(LockTarget)}.
	 * @param name the complete name; for an annotation with a key, {@code name:key}
	 * @throws IllegalStateException if it does not; the message says what is held instead
	 * @throws LockLostException if the lock was lost
	 */
	public static void assertHeld(String name) {
		assertHeld(LockTarget.of(name));
	}

	/**
	 * Fail unless this thread works under the lock of that name and key and has it alone.
	 * @param name the name
	 * @param key the key, as in an annotation
	 * @throws IllegalStateException if it does not; the message says what is held instead
	 * @throws LockLostException if the lock was lost
	 * @see LockTarget#of(String, Object)
	 */
	public static void assertHeld(String name, Object key) {
		assertHeld(LockTarget.of(name, key));
	}

	/**
	 * Fail unless this thread works under a lock, exclusive or shared as the target says.
	 * <p>
	 * An exclusive holder passes every check of the same lock, so {@code
	 * assertHeld(LockTarget.of("price-list").forReading())} passes for readers and
	 * writers. The number of permits does not matter: a holder of one permit passes the
	 * check for any number. A reader holds no permit.
	 * @param target the lock; if it is several, one handle must hold them all
	 * @throws IllegalStateException if it does not; the message says what is held instead
	 * @throws LockLostException if the lock was lost
	 */
	public static void assertHeld(LockTarget target) {
		if (isAssumed()) {
			return;
		}
		List<CallersLock> handles = handles();
		handles.removeIf((handle) -> !handle.covers(target));
		requireHeld(handles, "Lock '%s' is not held".formatted(target));
	}

	/**
	 * Let all assertions of this thread pass, for the unit test of a class without its
	 * proxy. <pre class="code">
	 * try (DistributedLocks.Assumption locked = DistributedLocks.assumeHeld()) {
	 *     new Accounts(repository).book("7", entry);
	 * }
	 * </pre>
	 * @return to be closed by the same thread; until then assertions pass
	 */
	public static Assumption assumeHeld() {
		Assumption assumption = new Assumption(ASSUMPTION.get());
		ASSUMPTION.set(assumption);
		return assumption;
	}

	static boolean isAssumed() {
		return ASSUMPTION.get() != null;
	}

	/**
	 * Return the locks under which this thread works, innermost first.
	 */
	private static List<CallersLock> handles() {
		List<CallersLock> handles = new ArrayList<>(ThreadLocks.taken());
		Collections.reverse(handles);
		return handles;
	}

	private static void requireHeld(List<CallersLock> candidates, String problem) {
		if (candidates.stream().anyMatch(CallersLock::isHeld)) {
			return;
		}
		for (CallersLock candidate : candidates) {
			if (candidate.isLost()) {
				throw candidate.lost();
			}
		}
		if (candidates.stream().anyMatch(CallersLock::isHeld)) {
			// The check for a loss may have asked the store, which confirmed
			// the lock.
			return;
		}
		throw notHeld(problem, handles());
	}

	private static IllegalStateException notHeld(String problem, List<CallersLock> present) {
		String held = present.stream()
			.filter(CallersLock::isHeld)
			.map((handle) -> "'" + handle.target() + "'")
			.collect(Collectors.joining(", "));
		return new IllegalStateException(("%s for the work of this thread%s: call it through LockOperations.execute, or"
				+ " the annotated method through its Spring bean (not from within the same object, and not on another"
				+ " thread)")
			.formatted(problem, held.isEmpty() ? "" : ", which holds " + held));
	}

	/**
	 * Lets assertions pass until it is closed.
	 */
	public static final class Assumption implements AutoCloseable {

		private final @Nullable Assumption outer;

		private Assumption(@Nullable Assumption outer) {
			this.outer = outer;
		}

		/**
		 * Let assertions fail again, unless there is another assumption around this one.
		 * Closing twice is harmless.
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
