package io.github.redislock.internal.engine;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockTarget;
import io.github.redislock.LockedSupplier;
import io.github.redislock.OnLost;
import io.github.redislock.internal.support.ThreadContext;
import org.jspecify.annotations.Nullable;

/**
 * The locks of a thread: those under which its work runs, and those that it acquired
 * itself.
 * <p>
 * Maintained by implementations of {@link LockOperations} for {@link LockContext}. All
 * methods apply to the current thread.
 */
public final class ThreadLocks implements ThreadContext<LockHandle, LockTarget> {

	/**
	 * A thread with more locks than this gets an index by name at the next search.
	 * Without it, 10,000 locks take four times as much CPU time to acquire.
	 */
	private static final int MANY = 16;

	/** The innermost work under a lock, if any. */
	private @Nullable Work work;

	/**
	 * The locks that the thread acquired, the latest one at the end. Another thread may
	 * have released some of them. The references are weak, so that a pooled thread does
	 * not keep a forgotten handle forever.
	 */
	private final List<Reference<? extends CallersLock>> taken = new ArrayList<>(2);

	/**
	 * The same references by lock name, in the same order. Created when a lock is looked
	 * up among many, and recreated after a clean-up. Its lists are immutable: a list of
	 * one element takes half as much memory as an {@code ArrayList}.
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
		ThreadLocks present = present();
		present.work = new Work(handle, present.work);
	}

	/**
	 * End the work that began last.
	 */
	public static void endWork() {
		ThreadLocks present = present();
		present.work = Objects.requireNonNull(present.work).outer;
		present.forgetIfEmpty();
	}

	/**
	 * Return whether no lock of this thread is tracked.
	 */
	public static boolean isEmpty() {
		return current() == null;
	}

	/**
	 * Return the locks under which this thread's work runs.
	 * @return the locks, innermost first
	 */
	public static List<LockHandle> ofWork() {
		ThreadLocks present = current();
		return (present != null)
				? Stream.iterate(present.work, Objects::nonNull, Work::outer).map(Work::handle).toList() : List.of();
	}

	/**
	 * Return the lock that this thread acquired last among those with the name of a
	 * target. If the target has several names, use the first name for which there is such
	 * a lock.
	 * @param target the wanted lock
	 * @param fitting a further condition that the lock must satisfy
	 * @return {@code null} if the thread has not acquired such a lock, or has released it
	 */
	public static @Nullable CallersLock find(LockTarget target, Predicate<CallersLock> fitting) {
		ThreadLocks present = current();
		if (present == null) {
			return null;
		}
		for (String name : target.names()) {
			List<Reference<? extends CallersLock>> candidates = present.candidates(name);
			for (int index = candidates.size() - 1; index >= 0; index--) {
				CallersLock lock = candidates.get(index).get();
				if (lock != null && lock.names().contains(name) && !lock.isOver() && fitting.test(lock)) {
					return lock;
				}
			}
		}
		return null;
	}

	/**
	 * Return a list that contains all locks with the given name, and possibly others.
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

	/**
	 * Run a part of the work, on any thread, under the locks that were acquired for it.
	 * @param <T> the type of the result
	 * @param <E> the type of the exception that the part may throw
	 * @param handles the handles of these locks, outermost first
	 * @param part what to do
	 * @return what the part returns
	 * @throws E if the part failed
	 */
	public static <T extends @Nullable Object, E extends Throwable> T call(List<? extends LockHandle> handles,
			LockedSupplier<T, E> part) throws E {
		List<Reference<? extends CallersLock>> added = new ArrayList<>(handles.size());
		for (LockHandle handle : handles) {
			beginWork(handle);
			// In a nested part, the outer part has already added the lock.
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
	 * Remember a lock that this thread acquired. An immediate second call with the same
	 * lock has no effect.
	 * @param lock the lock's {@linkplain CallersLock#reference() reference}
	 * @return whether the lock was added; {@code false} if it was already the last one
	 */
	public static boolean add(Reference<? extends CallersLock> lock) {
		ThreadLocks present = present();
		List<Reference<? extends CallersLock>> taken = present.taken;
		if (!taken.isEmpty() && taken.get(taken.size() - 1).equals(lock)) {
			return false;
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
			lock.names()
				.forEach((name) -> index.merge(name, List.of(reference),
						(present, added) -> Stream.concat(present.stream(), added.stream()).toList()));
		}
	}

	/**
	 * Forget a lock, if this thread tracks it.
	 * @param lock the lock's {@linkplain CallersLock#reference() reference}
	 */
	public static void remove(Reference<? extends CallersLock> lock) {
		ThreadLocks present = current();
		if (present == null) {
			return;
		}
		int index = present.taken.lastIndexOf(lock);
		if (index >= 0) {
			present.taken.remove(index);
			present.removeNames(lock);
			present.forgetIfEmpty();
		}
	}

	private void removeNames(Reference<? extends CallersLock> reference) {
		Map<String, List<Reference<? extends CallersLock>>> index = this.byName;
		CallersLock lock = reference.get();
		if (index == null || lock == null || this.taken.contains(reference)) {
			// The names of a garbage collected handle are unknown. A nested part of the
			// work may have added a lock again.
			this.byName = null;
			return;
		}
		lock.names()
			.forEach((name) -> index.computeIfPresent(name, (same, locks) -> (locks.size() == 1) ? null
					: locks.stream().filter((other) -> !other.equals(reference)).toList()));
	}

	/**
	 * Return the locks that this thread acquired and that are not released. Forget the
	 * others, so that forgotten handles do not fill the list: each acquisition calls this
	 * method.
	 * @return the locks, the latest one at the end
	 */
	public static List<CallersLock> taken() {
		ThreadLocks present = current();
		if (present == null) {
			return List.of();
		}
		List<CallersLock> locks = new ArrayList<>(present.taken.size());
		boolean cleaned = present.taken.removeIf((reference) -> {
			CallersLock lock = reference.get();
			// Another thread may have released it.
			boolean over = lock == null || lock.isOver();
			return over || !locks.add(lock);
		});
		if (cleaned) {
			// The index is rebuilt at the next search.
			present.byName = null;
		}
		present.forgetIfEmpty();
		return locks;
	}

	@Override
	public @Nullable LockHandle innermost() {
		return (this.work != null) ? this.work.handle() : null;
	}

	@Override
	public boolean holds(@Nullable LockTarget wanted) {
		requireNoneLost();
		List<CallersLock> fitting = taken().stream().filter((lock) -> wanted == null || lock.covers(wanted)).toList();
		if (!fitting.isEmpty() && fitting.stream().allMatch(CallersLock::isLost)) {
			throw fitting.get(fitting.size() - 1).lost();
		}
		return !fitting.isEmpty();
	}

	@Override
	public void requireNoneLost() {
		for (CallersLock lock : taken()) {
			if (lock.onLost() != OnLost.IGNORE && lock.isLost()) {
				throw lock.lost();
			}
		}
	}

	@Override
	public String heldLocks() {
		return taken().stream()
			.filter(CallersLock::isHeld)
			.map((lock) -> "'" + lock.target() + "'")
			.collect(Collectors.joining(", "));
	}

	private static @Nullable ThreadLocks current() {
		return (ThreadLocks) CURRENT.get();
	}

	private static ThreadLocks present() {
		ThreadLocks present = current();
		if (present == null) {
			present = new ThreadLocks();
			CURRENT.set(present);
		}
		return present;
	}

	private void forgetIfEmpty() {
		if (this.work == null && this.taken.isEmpty()) {
			CURRENT.remove();
		}
	}

	/**
	 * Work under a lock.
	 *
	 * @param outer the work inside which it runs, if any
	 */
	private record Work(LockHandle handle, @Nullable Work outer) {
	}

}
