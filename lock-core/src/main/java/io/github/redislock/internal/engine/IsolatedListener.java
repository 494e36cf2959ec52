package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LockException;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.support.CallingThread;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Calls several listeners, so that a failing one affects neither the others nor the lock.
 */
final class IsolatedListener implements LockListener {

	private static final Log logger = LogFactory.getLog(IsolatedListener.class);

	private final List<LockListener> listeners;

	IsolatedListener(List<LockListener> listeners) {
		this.listeners = listeners;
	}

	/**
	 * Return the listener for a new acquisition, which calls these listeners and those
	 * that they return.
	 */
	@Override
	public LockListener acquiring(LockTarget target) {
		List<LockListener> more = new ArrayList<>(0);
		publish((listener) -> {
			LockListener own = listener.acquiring(target);
			if (own != null) {
				more.add(own);
			}
		});
		return more.isEmpty() ? this
				: new IsolatedListener(Stream.concat(this.listeners.stream(), more.stream()).toList());
	}

	@Override
	public void acquired(HeldLock lock, Duration waited, HandOverKind from) {
		publish((listener) -> listener.acquired(lock, waited, from));
	}

	@Override
	public void refused(LockTarget target, Duration waited, int waitingCallers) {
		publish((listener) -> listener.refused(target, waited, waitingCallers));
	}

	@Override
	public void failed(LockException failure, Duration waited) {
		publish((listener) -> listener.failed(failure, waited));
	}

	@Override
	public void renewed(HeldLock lock) {
		publish((listener) -> listener.renewed(lock));
	}

	@Override
	public void renewalFailed(HeldLock lock, LockStoreException failure) {
		publish((listener) -> listener.renewalFailed(lock, failure));
	}

	@Override
	public void lost(HeldLock lock, LockLostException loss) {
		publish((listener) -> listener.lost(lock, loss));
	}

	@Override
	public void released(HeldLock lock, ReleaseOutcome outcome, Duration held) {
		publish((listener) -> listener.released(lock, outcome, held));
	}

	private void publish(Consumer<LockListener> event) {
		for (LockListener listener : this.listeners) {
			try {
				CallingThread.runOther(() -> event.accept(listener));
			}
			catch (Throwable ex) {
				// Also catch errors, because on a thread of the store they could be lost,
				// and the caller could wait forever.
				logger.warn("A lock listener failed: " + listener.getClass().getName(), ex);
			}
		}
	}

}
