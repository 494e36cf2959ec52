package io.github.redislock;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tells several listeners, none of which can disturb the others or the lock.
 */
final class IsolatedListener implements LockListener {

	private static final Log logger = LogFactory.getLog(IsolatedListener.class);

	private final List<LockListener> listeners;

	IsolatedListener(List<LockListener> listeners) {
		this.listeners = listeners;
	}

	@Override
	public void acquired(LockHandle lock, Duration waited) {
		tell((listener) -> listener.acquired(lock, waited));
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
	public void renewed(LockHandle lock) {
		tell((listener) -> listener.renewed(lock));
	}

	@Override
	public void renewalFailed(LockHandle lock, LockStoreException failure) {
		tell((listener) -> listener.renewalFailed(lock, failure));
	}

	@Override
	public void lost(LockHandle lock, LockLostException loss) {
		tell((listener) -> listener.lost(lock, loss));
	}

	@Override
	public void released(LockHandle lock, ReleaseOutcome outcome, Duration held) {
		tell((listener) -> listener.released(lock, outcome, held));
	}

	private void tell(Consumer<LockListener> event) {
		if (this.listeners.isEmpty()) {
			return;
		}
		for (LockListener listener : this.listeners) {
			try {
				event.accept(listener);
			}
			catch (Throwable ex) {
				// Errors too: on a thread of the store one would vanish, and the caller
				// wait for ever.
				logger.warn("A lock listener failed: " + listener.getClass().getName(), ex);
			}
		}
	}

}
