package io.github.redislock;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The locks under which the present thread works: those that it took and that nobody has
 * let go yet, the last one at the end.
 * <p>
 * Weak, so that a handle that was forgotten does not go with a pooled thread for ever.
 */
final class HeldByThread {

	private static final ThreadLocal<@Nullable List<Reference<? extends CallersLock>>> HANDLES = new ThreadLocal<>();

	private HeldByThread() {
	}

	/**
	 * Remember a handle. Twice in a row is once.
	 * @return whether it was not the last one already
	 */
	static boolean add(Reference<? extends CallersLock> handle) {
		List<Reference<? extends CallersLock>> handles = HANDLES.get();
		if (handles == null) {
			handles = new ArrayList<>(2);
			HANDLES.set(handles);
		}
		else if (handles.get(handles.size() - 1).equals(handle)) {
			return false;
		}
		else if (Integer.bitCount(handles.size()) == 1) {
			// Each time that the list has doubled: who forgets handles shall not fill it.
			handles.removeIf((other) -> other.refersTo(null));
		}
		return handles.add(handle);
	}

	/**
	 * Forget a handle, if this is the thread that took it.
	 */
	static void remove(Reference<? extends CallersLock> handle) {
		List<Reference<? extends CallersLock>> handles = HANDLES.get();
		if (handles == null) {
			return;
		}
		int index = handles.lastIndexOf(handle);
		if (index >= 0) {
			handles.remove(index);
			forgetEmpty(handles);
		}
	}

	/**
	 * Fail if one of the locks was lost. A handle that was taken by hand fails only once:
	 * it may have been forgotten, and whatever the thread does later is not its concern.
	 */
	static void requireHeld() {
		for (Reference<? extends CallersLock> reference : present()) {
			CallersLock handle = reference.get();
			if (handle != null && handle.onLost() != OnLost.IGNORE && handle.isLost()) {
				if (!handle.isOfWork()) {
					remove(reference);
				}
				throw handle.entry().lost();
			}
		}
	}

	/**
	 * Return what was not let go, the last one at the end.
	 */
	static List<CallersLock> handles() {
		List<CallersLock> handles = new ArrayList<>();
		for (Reference<? extends CallersLock> reference : present()) {
			CallersLock handle = reference.get();
			if (handle != null) {
				handles.add(handle);
			}
		}
		return handles;
	}

	private static List<Reference<? extends CallersLock>> present() {
		List<Reference<? extends CallersLock>> handles = HANDLES.get();
		if (handles == null) {
			return List.of();
		}
		// Another thread may have let it go.
		handles.removeIf(HeldByThread::isOver);
		forgetEmpty(handles);
		return handles;
	}

	private static boolean isOver(Reference<? extends CallersLock> reference) {
		CallersLock handle = reference.get();
		return handle == null || handle.isOver();
	}

	private static void forgetEmpty(List<Reference<? extends CallersLock>> handles) {
		if (handles.isEmpty()) {
			HANDLES.remove();
		}
	}

}
