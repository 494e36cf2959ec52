package io.github.redislock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LockException;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Calls several listeners, so that a failing one affects neither the others nor the lock.
 */
final class IsolatedListener implements LockListener {

	private static final Log logger = LogFactory.getLog(IsolatedListener.class);

	/** Used if there are no listeners. */
	private static final LockListener NOBODY = new LockListener() {
	};

	private final List<LockListener> listeners;

	private IsolatedListener(List<LockListener> listeners) {
		this.listeners = listeners;
	}

	static LockListener of(List<LockListener> listeners) {
		return listeners.isEmpty() ? NOBODY : new IsolatedListener(listeners);
	}

	/**
	 * Return the listener for a new acquisition, which calls these listeners and those
	 * that they return.
	 */
	@Override
	public LockListener acquiring(LockTarget target) {
		List<LockListener> all = null;
		for (LockListener listener : this.listeners) {
			LockListener own = askFor(target, listener);
			if (own != null) {
				all = (all != null) ? all : new ArrayList<>(this.listeners);
				all.add(own);
			}
		}
		return (all != null) ? new IsolatedListener(all) : this;
	}

	@Override
	public void acquired(HeldLock lock, Duration waited, HandOverKind from) {
		tell((listener) -> listener.acquired(lock, waited, from));
	}

	@Override
	public void refused(String lockName, Duration waited) {
		tell((listener) -> listener.refused(lockName, waited));
	}

	@Override
	public void failed(LockException failure, Duration waited) {
		tell((listener) -> listener.failed(failure, waited));
	}

	@Override
	public void renewed(HeldLock lock) {
		tell((listener) -> listener.renewed(lock));
	}

	@Override
	public void renewalFailed(HeldLock lock, LockStoreException failure) {
		tell((listener) -> listener.renewalFailed(lock, failure));
	}

	@Override
	public void lost(HeldLock lock, LockLostException loss) {
		tell((listener) -> listener.lost(lock, loss));
	}

	@Override
	public void released(HeldLock lock, ReleaseOutcome outcome, Duration held) {
		tell((listener) -> listener.released(lock, outcome, held));
	}

	private static @Nullable LockListener askFor(LockTarget target, LockListener listener) {
		try {
			return listener.acquiring(target);
		}
		catch (Throwable ex) {
			failed(listener, ex);
			return null;
		}
	}

	private void tell(Consumer<LockListener> event) {
		for (LockListener listener : this.listeners) {
			try {
				event.accept(listener);
			}
			catch (Throwable ex) {
				// Also catch errors, because on a thread of the store they would be lost
				// and the caller would wait forever.
				failed(listener, ex);
			}
		}
	}

	private static void failed(LockListener listener, Throwable failure) {
		logger.warn("A lock listener failed: " + listener.getClass().getName(), failure);
	}

}
