package io.github.redislock.campaign.worker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Atomic numbers that all processes share, independent of any lock.
 */
public final class SharedMemory {

	private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private final ByteBuffer memory;

	private SharedMemory(ByteBuffer memory) {
		this.memory = memory;
	}

	/**
	 * Map a file. If the file is missing, it is created and filled with zeros.
	 * @param file the file
	 * @param numbers how many numbers it contains
	 * @return the numbers in the file
	 */
	public static SharedMemory map(Path file, int numbers) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			return new SharedMemory(channel.map(MapMode.READ_WRITE, 0, (long) numbers * Long.BYTES));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public long get(int index) {
		return (long) LONGS.getVolatile(this.memory, index * Long.BYTES);
	}

	public void set(int index, long value) {
		LONGS.setVolatile(this.memory, index * Long.BYTES, value);
	}

	long exchange(int index, long value) {
		return (long) LONGS.getAndSet(this.memory, index * Long.BYTES, value);
	}

	boolean replace(int index, long expected, long value) {
		return LONGS.compareAndSet(this.memory, index * Long.BYTES, expected, value);
	}

	void count(int index) {
		LONGS.getAndAdd(this.memory, index * Long.BYTES, 1L);
	}

}
