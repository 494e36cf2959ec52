package io.github.redislock.campaign.worker;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Records which threads are in critical sections, and serves as the store that the locks
 * protect. It does not depend on the locks.
 * <p>
 * For each key there is a cell with the entry that is inside, and a store that refuses
 * fencing tokens smaller than the last one that it accepted. A process that was stopped
 * past its lease is still inside, and may still write. Therefore overlaps are counted,
 * but are violations only if both entries claim the lock. Stale writes are counted, but
 * are violations only if the writer claims the lock when the write is refused.
 */
public final class Witness {

	/**
	 * How many numbers are stored for each key: the entry that is inside, the time until
	 * which that entry relies on the lock, and the last accepted token.
	 */
	private static final int PER_KEY = 3;

	private static final int COUNTERS = Count.values().length;

	private final SharedMemory memory;

	private final int keys;

	private final AtomicInteger entries = new AtomicInteger();

	public Witness(Path directory, int keys) {
		this.memory = SharedMemory.map(directory.resolve(Setup.MEMORY), COUNTERS + keys * PER_KEY);
		this.keys = keys;
	}

	public long count(Count count) {
		return this.memory.get(count.ordinal());
	}

	/**
	 * Clear the entries of a process that was killed.
	 */
	public void clear(int worker) {
		for (int key = 0; key < this.keys; key++) {
			long inside = this.memory.get(cell(key));
			if (inside >>> 32 == worker + 1) {
				this.memory.replace(cell(key), inside, 0);
			}
		}
	}

	/**
	 * Return the entry that is inside, or 0.
	 */
	public long inside(int key) {
		return this.memory.get(cell(key));
	}

	public static int worker(long entry) {
		return (int) (entry >>> 32) - 1;
	}

	/**
	 * Record that the threads of a process no longer rely on any lock.
	 */
	void renounce(int worker) {
		for (int key = 0; key < this.keys; key++) {
			if (this.memory.get(cell(key)) >>> 32 == worker + 1) {
				this.memory.set(cell(key) + 1, 0);
			}
		}
	}

	/**
	 * Enter a critical section.
	 * @param entry a unique number
	 * @param relyUntil the time until which the entry certainly has the lock
	 * @param claims whether the entry claims the lock now
	 */
	void enter(int key, long entry, long relyUntil, BooleanSupplier claims) {
		long reliedUntil = this.memory.get(cell(key) + 1);
		long other = this.memory.exchange(cell(key), entry);
		this.memory.set(cell(key) + 1, relyUntil);
		this.memory.count(Count.ENTRIES.ordinal());
		if (other == 0) {
			return;
		}
		boolean relied = System.nanoTime() < reliedUntil;
		this.memory.count(Count.OVERLAPS.ordinal());
		if (relied && claims.getAsBoolean()) {
			this.memory.count(Count.CLAIMED_OVERLAPS.ordinal());
		}
	}

	void rely(int key, long entry, long until) {
		if (this.memory.get(cell(key)) == entry) {
			this.memory.set(cell(key) + 1, until);
		}
	}

	void leave(int key, long entry) {
		this.memory.replace(cell(key), entry, 0);
	}

	/**
	 * Write to the store that the lock protects.
	 * @param claims whether the entry claims the lock now
	 */
	void write(int key, long token, BooleanSupplier claims) {
		int place = cell(key) + 2;
		while (true) {
			long last = this.memory.get(place);
			if (token < last) {
				this.memory.count(Count.STALE_WRITES.ordinal());
				if (claims.getAsBoolean()) {
					this.memory.count(Count.REFUSED_WRITES.ordinal());
				}
				return;
			}
			if (this.memory.replace(place, last, token)) {
				this.memory.count(Count.WRITES.ordinal());
				return;
			}
		}
	}

	private static int cell(int key) {
		return COUNTERS + key * PER_KEY;
	}

	long nextEntry(int worker) {
		return ((long) (worker + 1) << 32) | Integer.toUnsignedLong(this.entries.incrementAndGet());
	}

	/**
	 * The counted events.
	 */
	public enum Count {

		/** A thread entered. */
		ENTRIES,

		/** A thread entered while another one was inside. */
		OVERLAPS,

		/** A thread entered while another one was inside, and both claimed the lock. */
		CLAIMED_OVERLAPS,

		/** A write was accepted. */
		WRITES,

		/** A write with an old token was refused. */
		STALE_WRITES,

		/** A write was refused although its writer claimed the lock. */
		REFUSED_WRITES

	}

}
