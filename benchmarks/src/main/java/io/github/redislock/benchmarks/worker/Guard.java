package io.github.redislock.benchmarks.worker;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A critical section that only one thread of all processes may enter, and that detects
 * violations. Its state is in a file that all processes map into memory.
 * <p>
 * The operations are not atomic on purpose, because the lock under test must protect
 * them. A thread that enters must find the section empty, and at the end the counter must
 * equal the number of entries.
 */
public final class Guard {

	/** The size of the file in bytes. */
	public static final int SIZE = 4 * Long.BYTES;

	private static final int OCCUPANT = 0;

	private static final int ENTRIES = Long.BYTES;

	private static final int LEFT_BY = 2 * Long.BYTES;

	private static final int LEFT_AT = 3 * Long.BYTES;

	/**
	 * Used with opaque access, so that no read or write is optimized away.
	 */
	private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private final ByteBuffer memory;

	private final long process;

	private final AtomicLong violations = new AtomicLong();

	private Guard(ByteBuffer memory, long process) {
		this.memory = memory;
		this.process = process;
	}

	/**
	 * Map a guard's file.
	 * @param file the file, which is created if it is missing
	 * @param process a positive number for this process
	 * @return the guard
	 * @throws IOException if the file cannot be mapped
	 */
	public static Guard map(Path file, long process) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			return new Guard(channel.map(MapMode.READ_WRITE, 0, SIZE), process);
		}
	}

	/**
	 * Enter the section.
	 * @return the nanoseconds since another process left the section, or -1 if this
	 * process was the last one to leave it, or is the first one to enter it
	 */
	public long enter() {
		if (get(OCCUPANT) != 0) {
			this.violations.incrementAndGet();
		}
		set(OCCUPANT, this.process);
		set(ENTRIES, get(ENTRIES) + 1);
		long last = get(LEFT_BY);
		return (last != 0 && last != this.process) ? System.nanoTime() - get(LEFT_AT) : -1;
	}

	/**
	 * Leave the section, as the last action before the lock is released.
	 */
	public void leave() {
		if (get(OCCUPANT) != this.process) {
			this.violations.incrementAndGet();
		}
		set(LEFT_BY, this.process);
		set(OCCUPANT, 0);
		set(LEFT_AT, System.nanoTime());
	}

	/**
	 * Reset the guard. No thread may be inside.
	 */
	public void clear() {
		for (int position = 0; position < SIZE; position += Long.BYTES) {
			set(position, 0);
		}
	}

	public long entries() {
		return get(ENTRIES);
	}

	/**
	 * Return how many times this process detected another thread inside.
	 */
	public long violations() {
		return this.violations.get();
	}

	private long get(int position) {
		return (long) LONGS.getOpaque(this.memory, position);
	}

	private void set(int position, long value) {
		LONGS.setOpaque(this.memory, position, value);
	}

}
