package io.github.redislock.campaign.worker;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Sees who is inside, and keeps what the locks protect; knows nothing of them nor of
 * time.
 * <p>
 * For each key there is a cell that names who is inside, and a store that accepts no
 * smaller fencing token than its last one. A process that was stopped past its lease is
 * still inside, and may still write: so being two is counted, and only two who both claim
 * the lock are a violation; stale writes are counted, and only one that is refused while
 * its writer claims the lock is a violation.
 */
public final class Witness {

	/** Per key: who is inside, until when he relies on it, the last token. */
	private static final int PER_KEY = 3;

	private static final int COUNTERS = Count.values().length;

	private final SharedMemory memory;

	private final int keys;

	private final AtomicInteger entries = new AtomicInteger();

	/**
	 * Create a witness.
	 * @param directory where the shared memory lies
	 * @param keys how many locks there are
	 */
	public Witness(Path directory, int keys) {
		this.memory = SharedMemory.map(directory.resolve(Setup.MEMORY), COUNTERS + keys * PER_KEY);
		this.keys = keys;
	}

	/**
	 * Return how often something happened.
	 */
	public long count(Count count) {
		return this.memory.get(count.ordinal());
	}

	/**
	 * Forget that the threads of a process are inside, since it was killed.
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
	 * Return which entry is inside, or 0.
	 */
	public long inside(int key) {
		return this.memory.get(cell(key));
	}

	/**
	 * Return whose entry it is.
	 */
	public static int worker(long entry) {
		return (int) (entry >>> 32) - 1;
	}

	/**
	 * Nobody of a process relies on a lock any more.
	 */
	void renounce(int worker) {
		for (int key = 0; key < this.keys; key++) {
			if (this.memory.get(cell(key)) >>> 32 == worker + 1) {
				this.memory.set(cell(key) + 1, 0);
			}
		}
	}

	/**
	 * Enter a section.
	 * @param entry a number that no other entry has
	 * @param relyUntil until when it surely is this one's
	 * @param claims whether it is this one's now
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
	 * Write to what the lock protects.
	 * @param claims whether the section is this one's now
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

	/**
	 * Return a number for one entry of a worker.
	 */
	long nextEntry(int worker) {
		return ((long) (worker + 1) << 32) | Integer.toUnsignedLong(this.entries.incrementAndGet());
	}

	/**
	 * What is counted.
	 */
	public enum Count {

		/** Somebody entered. */
		ENTRIES,

		/** Somebody entered while another one was inside. */
		OVERLAPS,

		/** Somebody entered while another one was inside, and both claimed the lock. */
		CLAIMED_OVERLAPS,

		/** A write was accepted. */
		WRITES,

		/** A write came with an old token, and was refused. */
		STALE_WRITES,

		/** A write was refused whose writer claimed the lock. */
		REFUSED_WRITES

	}

}
