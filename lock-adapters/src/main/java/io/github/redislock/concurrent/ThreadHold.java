package io.github.redislock.concurrent;

import java.util.HashMap;
import java.util.Map;

import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * The hold of one thread on one lock, with an entry for each time that the thread
 * acquired the lock. Used only by that thread.
 * <p>
 * If the lock was lost and the thread acquires it again, the new entry joins the earlier
 * ones, and the loss is reported when the last of these entries is removed. If that
 * attempt is refused, the earlier entries are lost for good. They are counted separately,
 * and are removed after all later entries.
 */
final class ThreadHold {

	private static final ThreadLocal<@Nullable Map<Key, ThreadHold>> HOLDS = new ThreadLocal<>();

	private final Key key;

	private int entries;

	private @Nullable LockHandle lock;

	/** The earlier loss, if the lock was lost and acquired again. */
	private @Nullable LockLostException earlierLoss;

	private int lostEntries;

	private @Nullable LockLostException loss;

	private ThreadHold(Key key) {
		this.key = key;
	}

	/**
	 * Return the current thread's hold on a lock, or a new one without entries.
	 */
	static ThreadHold of(LockOperations locks, LockTarget target) {
		Key key = new Key(locks, target);
		Map<Key, ThreadHold> holds = HOLDS.get();
		ThreadHold present = (holds != null) ? holds.get(key) : null;
		return (present != null) ? present : new ThreadHold(key);
	}

	/**
	 * Add an entry, and acquire the lock if necessary.
	 * @param orFail whether to throw an exception instead of returning {@code false}
	 * @return whether the thread holds the lock now; earlier entries remain in any case
	 */
	boolean enter(LockOptions options, boolean orFail) {
		LockHandle present = this.lock;
		if (present == null || !present.isHeld()) {
			LockHandle acquired = orFail ? this.key.locks().acquire(this.key.target(), options)
					: this.key.locks().tryAcquire(this.key.target(), options);
			if (acquired == null) {
				setLostAside();
				return false;
			}
			if (present != null) {
				this.earlierLoss = lossOf(present);
			}
			this.lock = acquired;
			remember();
		}
		this.entries++;
		return true;
	}

	/**
	 * Remove one entry. Removing the last one releases the lock.
	 */
	void leave() {
		if (this.entries == 0) {
			leaveLost();
			return;
		}
		this.entries--;
		if (this.entries > 0) {
			return;
		}
		LockLostException lost = lossOf(handle());
		lost = (lost != null) ? lost : this.earlierLoss;
		this.lock = null;
		this.earlierLoss = null;
		raise(lost);
	}

	LockHandle handle() {
		LockHandle present = this.lock;
		if (present == null) {
			throw new IllegalMonitorStateException(
					"Lock '%s' is not held by thread '%s': only the thread that acquired it can use or release it"
						.formatted(this.key.target(), Thread.currentThread().getName()));
		}
		return present;
	}

	void forgetIfOver() {
		Map<Key, ThreadHold> holds = HOLDS.get();
		if (holds == null || this.entries > 0 || this.lostEntries > 0) {
			return;
		}
		holds.remove(this.key);
		if (holds.isEmpty()) {
			HOLDS.remove();
		}
	}

	private void leaveLost() {
		if (this.lostEntries == 0) {
			handle();
		}
		this.lostEntries--;
		raise(this.loss);
	}

	private void setLostAside() {
		LockHandle lost = this.lock;
		if (lost != null) {
			this.lostEntries += this.entries;
			this.entries = 0;
			this.loss = lossOf(lost);
			this.lock = null;
			this.earlierLoss = null;
		}
	}

	private void remember() {
		Map<Key, ThreadHold> holds = HOLDS.get();
		if (holds == null) {
			holds = new HashMap<>(4);
			HOLDS.set(holds);
		}
		holds.put(this.key, this);
	}

	/**
	 * Release a lock, and return the loss if the lock had already been lost.
	 */
	private static @Nullable LockLostException lossOf(LockHandle lock) {
		try {
			lock.close();
			return null;
		}
		catch (LockLostException ex) {
			return ex;
		}
	}

	private static void raise(@Nullable LockLostException lost) {
		if (lost != null) {
			throw lost;
		}
	}

	private record Key(LockOperations locks, LockTarget target) {
	}

}
