package io.github.redislock;

import java.lang.ref.Reference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The locks of a thread: those under which its work runs, and those that it took itself.
 * <p>
 * Maintained by implementations of {@link LockOperations} for {@link LockContext}.
 * Internal. All methods are about the current thread.
 */
public final class ThreadLocks {

	private static final ThreadLocal<@Nullable ThreadLocks> PRESENT = new ThreadLocal<>();

	/** Above this number, locks are indexed by name. */
	private static final int MANY = 16;

	/** The innermost first. */
	private final Deque<LockHandle> work = new ArrayDeque<>(2);

	/**
	 * The unreleased locks that the thread took, the last one at the end. Weak, so that a
	 * pooled thread does not keep a forgotten handle forever.
	 */
	private final List<Reference<? extends CallersLock>> taken = new ArrayList<>(2);

	/**
	 * The same by the names of their locks, in the same order. Created when one of many
	 * is looked up, and again after a clean-up.
	 */
	private @Nullable Map<String, List<Reference<? extends CallersLock>>> byName;

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
	 * Return whether this thread neither took a lock nor runs work under one.
	 */
	public static boolean isEmpty() {
		return PRESENT.get() == null;
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
	 * Return the last lock that this thread took among those with the name of a target.
	 * Of several names, the first that has such a lock decides.
	 * @param target the wanted lock
	 * @param fitting what else the lock has to fulfil
	 * @return {@code null} if the thread took no such lock, or has released it
	 */
	public static @Nullable CallersLock find(LockTarget target, Predicate<CallersLock> fitting) {
		ThreadLocks present = PRESENT.get();
		if (present == null) {
			return null;
		}
		for (String name : target.names()) {
			CallersLock found = last(present.candidates(name), name, fitting);
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	/**
	 * Return all locks of a name, maybe among others.
	 */
	private List<Reference<? extends CallersLock>> candidates(String name) {
		Map<String, List<Reference<? extends CallersLock>>> index = this.byName;
		if (index == null) {
			if (this.taken.size() <= MANY) {
				return this.taken;
			}
			index = new HashMap<>();
			for (Reference<? extends CallersLock> lock : this.taken) {
				addNames(index, lock);
			}
			this.byName = index;
		}
		return index.getOrDefault(name, List.of());
	}

	private static @Nullable CallersLock last(List<Reference<? extends CallersLock>> candidates, String name,
			Predicate<CallersLock> fitting) {
		for (int index = candidates.size() - 1; index >= 0; index--) {
			CallersLock lock = candidates.get(index).get();
			if (lock != null && lock.names().contains(name) && !lock.isOver() && fitting.test(lock)) {
				return lock;
			}
		}
		return null;
	}

	/**
	 * Run a part of work, on any thread, under locks that were taken for it.
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
			// The outer part does this for nested parts.
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
	 * Remember a lock that this thread took. Repeating it at once has no effect.
	 * @param lock {@link CallersLock#reference()}
	 * @return whether it was not the last one already
	 */
	public static boolean add(Reference<? extends CallersLock> lock) {
		ThreadLocks present = present();
		List<Reference<? extends CallersLock>> taken = present.taken;
		int size = taken.size();
		if (size > 0 && taken.get(size - 1).equals(lock)) {
			return false;
		}
		if (Integer.bitCount(size) == 1) {
			// Whenever the list has doubled: a caller that forgets handles must not
			// fill it.
			present.cleanUp((other) -> other.refersTo(null));
		}
		taken.add(lock);
		if (present.byName != null) {
			addNames(present.byName, lock);
		}
		return true;
	}

	private static void addNames(Map<String, List<Reference<? extends CallersLock>>> index,
			Reference<? extends CallersLock> reference) {
		CallersLock lock = reference.get();
		if (lock != null) {
			lock.names().forEach((name) -> index.merge(name, List.of(reference), ThreadLocks::joined));
		}
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
		if (removeLast(present.taken, lock)) {
			present.removeNames(lock);
			present.forgetIfEmpty();
		}
	}

	private static boolean removeLast(List<Reference<? extends CallersLock>> locks,
			Reference<? extends CallersLock> lock) {
		int index = locks.lastIndexOf(lock);
		if (index >= 0) {
			locks.remove(index);
		}
		return index >= 0;
	}

	private void removeNames(Reference<? extends CallersLock> reference) {
		Map<String, List<Reference<? extends CallersLock>>> index = this.byName;
		CallersLock lock = reference.get();
		if (index == null || lock == null) {
			// The names of a garbage collected handle are unknown.
			this.byName = null;
			return;
		}
		lock.names().forEach((name) -> index.computeIfPresent(name, (same, locks) -> {
			List<Reference<? extends CallersLock>> left = new ArrayList<>(locks);
			removeLast(left, reference);
			return left.isEmpty() ? null : List.copyOf(left);
		}));
	}

	/**
	 * Join two lists. Rare: a thread hardly ever takes a lock twice.
	 */
	private static <T> List<T> joined(List<T> locks, List<T> more) {
		return Stream.concat(locks.stream(), more.stream()).toList();
	}

	/**
	 * Remove locks that were garbage collected, or released by another thread. The index
	 * is rebuilt from what is left.
	 */
	private void cleanUp(Predicate<Reference<? extends CallersLock>> over) {
		if (this.taken.removeIf(over)) {
			this.byName = null;
		}
	}

	/**
	 * Return the locks that this thread took and that are not released.
	 * @return the last one at the end
	 */
	public static List<CallersLock> taken() {
		ThreadLocks present = PRESENT.get();
		if (present == null) {
			return List.of();
		}
		List<CallersLock> locks = new ArrayList<>(present.taken.size());
		present.cleanUp((reference) -> {
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
