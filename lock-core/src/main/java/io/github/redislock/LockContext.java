package io.github.redislock;

import java.lang.ref.Reference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The lock under which the present thread's work runs.
 * <p>
 * Known inside {@link LockOperations#execute} and inside methods with a lock annotation:
 * <pre class="code">
 * &#64;DistributedLock(name = "ledger", key = "#account")
 * public void book(String account, Entry entry) {
 *     this.ledger.append(entry, LockContext.current().fencingToken());
 * }
 * </pre>
 */
public final class LockContext {

	private static final ThreadLocal<Deque<LockHandle>> HANDLES = new ThreadLocal<>();

	private LockContext() {
	}

	/**
	 * Return the innermost lock under which this thread's work runs.
	 * @return its handle
	 * @throws IllegalStateException if this thread runs no locked work, as in a call that
	 * went past the proxy
	 */
	public static LockHandle current() {
		Deque<LockHandle> handles = HANDLES.get();
		if (handles == null) {
			throw new IllegalStateException("No lock is held for the work of this thread: call it through"
					+ " LockOperations.execute, or the annotated method through its Spring bean"
					+ " (not from within the same object, and not on another thread)");
		}
		return handles.getFirst();
	}

	/**
	 * Fail if a lock was lost under which this thread works: one that it took and that
	 * was not let go since, whether by {@link LockOperations#execute}, by annotation or
	 * as a handle.
	 * <p>
	 * Local and free: for long work between two of its steps. Locks with
	 * {@link OnLost#IGNORE} do not count, nor do handles with
	 * {@link LockOptions#reentrant reentrant(false)}, which may be another thread's by
	 * now. Without any lock it does nothing.
	 * @throws LockLostException if work is not protected any more
	 */
	public static void requireHeld() {
		HeldByThread.requireHeld();
	}

	/**
	 * Return the innermost hold under which this thread's work runs and that fits.
	 */
	static @Nullable Hold find(Predicate<Hold> fitting) {
		Deque<LockHandle> handles = HANDLES.get();
		if (handles == null) {
			return null;
		}
		for (LockHandle handle : handles) {
			Hold hold = (handle instanceof CallersLock given) ? given.entry().hold() : null;
			if (hold != null && fitting.test(hold)) {
				return hold;
			}
		}
		return null;
	}

	/**
	 * Return the locks under which this thread's work runs and that are not let go, the
	 * outermost first.
	 */
	static List<LockHandle> all() {
		Deque<LockHandle> handles = HANDLES.get();
		if (handles == null) {
			return List.of();
		}
		List<LockHandle> all = new ArrayList<>(handles.size());
		handles.descendingIterator().forEachRemaining((handle) -> {
			if (handle instanceof CallersLock given && !given.isOver()) {
				all.add(handle);
			}
		});
		return all;
	}

	/**
	 * Run a part of work, on whatever thread, under locks that were taken for it.
	 * @param handles the outermost first
	 */
	static <T extends @Nullable Object, E extends Throwable> T call(List<LockHandle> handles, LockedSupplier<T, E> part)
			throws E {
		List<Reference<? extends CallersLock>> added = new ArrayList<>(handles.size());
		for (LockHandle handle : handles) {
			enter(handle);
			// A part within a part leaves this to the outer one.
			if (handle instanceof CallersLock given && HeldByThread.add(given.reference())) {
				added.add(given.reference());
			}
		}
		try {
			return part.get();
		}
		finally {
			added.forEach(HeldByThread::remove);
			handles.forEach((handle) -> exit());
		}
	}

	static void enter(LockHandle handle) {
		Deque<LockHandle> handles = HANDLES.get();
		if (handles == null) {
			handles = new ArrayDeque<>(2);
			HANDLES.set(handles);
		}
		handles.push(handle);
	}

	static void exit() {
		Deque<LockHandle> handles = HANDLES.get();
		handles.pop();
		if (handles.isEmpty()) {
			HANDLES.remove();
		}
	}

}
