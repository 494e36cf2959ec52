package io.github.redislock;

import java.lang.ref.Reference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What a thread holds: the locks under which its work runs, and those that it took
 * itself.
 * <p>
 * Kept by whoever implements {@link LockOperations}, so that {@link LockContext} and
 * {@link DistributedLocks} know; users of locks do not call it. All methods are about the
 * present thread.
 */
public final class ThreadLocks {

	private static final ThreadLocal<@Nullable ThreadLocks> PRESENT = new ThreadLocal<>();

	/** The innermost first. */
	private final Deque<LockHandle> work = new ArrayDeque<>(2);

	/**
	 * Those that the thread took and that nobody has released yet, the last one at the
	 * end. Weak, so that a handle that was forgotten does not go with a pooled thread for
	 * ever.
	 */
	private final List<Reference<? extends CallersLock>> taken = new ArrayList<>(2);

	private ThreadLocks() {
	}

	/**
	 * Begin work under a lock.
	 * @param handle the work's lock
	 * @see #endWork()
	 */
	public static void beginWork(LockHandle handle) {
		present().work.push(handle);
	}

	/**
	 * End the work that was begun last.
	 */
	public static void endWork() {
		ThreadLocks present = present();
		present.work.pop();
		present.forgetIfEmpty();
	}

	/**
	 * Return the locks under which this thread's work runs.
	 * @return the innermost first
	 */
	public static List<LockHandle> ofWork() {
		ThreadLocks present = PRESENT.get();
		return (present != null) ? List.copyOf(present.work) : List.of();
	}

	/**
	 * Run a part of work, on whatever thread, under locks that were taken for it.
	 * @param <T> what the part returns
	 * @param <E> what it may throw
	 * @param handles the outermost first
	 * @param part the part
	 * @return what the part returns
	 * @throws E if the part throws it
	 */
	public static <T extends @Nullable Object, E extends Throwable> T call(List<? extends LockHandle> handles,
			LockedSupplier<T, E> part) throws E {
		List<Reference<? extends CallersLock>> added = new ArrayList<>(handles.size());
		for (LockHandle handle : handles) {
			beginWork(handle);
			// A part within a part leaves this to the outer one.
			if (handle instanceof CallersLock given && add(given.reference())) {
				added.add(given.reference());
			}
		}
		try {
			return part.get();
		}
		finally {
			added.forEach(ThreadLocks::remove);
			handles.forEach((handle) -> endWork());
		}
	}

	/**
	 * Remember a lock that this thread took. Twice in a row is once.
	 * @param lock {@link CallersLock#reference()}
	 * @return whether it was not the last one already
	 */
	public static boolean add(Reference<? extends CallersLock> lock) {
		List<Reference<? extends CallersLock>> taken = present().taken;
		int size = taken.size();
		if (size > 0 && taken.get(size - 1).equals(lock)) {
			return false;
		}
		if (Integer.bitCount(size) == 1) {
			// Each time that the list has doubled: who forgets handles shall not fill it.
			taken.removeIf((other) -> other.refersTo(null));
		}
		return taken.add(lock);
	}

	/**
	 * Forget a lock, if this is the thread that took it.
	 * @param lock {@link CallersLock#reference()}
	 */
	public static void remove(Reference<? extends CallersLock> lock) {
		ThreadLocks present = PRESENT.get();
		if (present == null) {
			return;
		}
		int index = present.taken.lastIndexOf(lock);
		if (index >= 0) {
			present.taken.remove(index);
			present.forgetIfEmpty();
		}
	}

	/**
	 * Return the locks that this thread took and that nobody has released.
	 * @return the last one at the end
	 */
	public static List<CallersLock> taken() {
		ThreadLocks present = PRESENT.get();
		if (present == null) {
			return List.of();
		}
		List<CallersLock> locks = new ArrayList<>(present.taken.size());
		present.taken.removeIf((reference) -> {
			CallersLock lock = reference.get();
			// Another thread may have released it.
			boolean over = lock == null || lock.isOver();
			return over || !locks.add(lock);
		});
		present.forgetIfEmpty();
		return locks;
	}

	private static ThreadLocks present() {
		ThreadLocks present = PRESENT.get();
		if (present == null) {
			present = new ThreadLocks();
			PRESENT.set(present);
		}
		return present;
	}

	private void forgetIfEmpty() {
		if (this.work.isEmpty() && this.taken.isEmpty()) {
			PRESENT.remove();
		}
	}

}
