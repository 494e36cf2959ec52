package io.github.redislock;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

import org.jspecify.annotations.Nullable;

/**
 * The locks under which the present thread works: those that it took and that nobody has
 * let go yet.
 * <p>
 * Weak, so that a handle that was forgotten does not go with a pooled thread for ever.
 */
final class HeldByThread {

	private static final ThreadLocal<@Nullable Set<TransactionalHandle>> HANDLES = new ThreadLocal<>();

	private HeldByThread() {
	}

	static void add(TransactionalHandle handle) {
		Set<TransactionalHandle> handles = HANDLES.get();
		if (handles == null) {
			Map<TransactionalHandle, Boolean> map = new WeakHashMap<>();
			handles = Collections.newSetFromMap(map);
			HANDLES.set(handles);
		}
		handles.add(handle);
	}

	/**
	 * Forget a handle, if this is the thread that took it.
	 */
	static void remove(TransactionalHandle handle) {
		Set<TransactionalHandle> handles = HANDLES.get();
		if (handles != null && handles.remove(handle) && handles.isEmpty()) {
			HANDLES.remove();
		}
	}

	/**
	 * Fail if one of the locks was lost.
	 */
	static void requireHeld() {
		Set<TransactionalHandle> handles = HANDLES.get();
		if (handles == null) {
			return;
		}
		// Another thread may have let it go.
		handles.removeIf(TransactionalHandle::isOver);
		handles.forEach(TransactionalHandle::requireHeld);
	}

}
