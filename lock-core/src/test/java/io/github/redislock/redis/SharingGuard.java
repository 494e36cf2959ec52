package io.github.redislock.redis;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.github.redislock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * Memory shared by several processes, independent of any lock, that records which threads
 * are inside, in which role, and until when each may rely on it.
 * <p>
 * Each thread has a separate place, records there that it is inside, and only then checks
 * the others. Of two threads that must not be inside together, at least one sees the
 * other. A thread that is killed inside stays recorded until its lease is over. All
 * processes of a machine use the same monotonic clock.
 */
final class SharingGuard {

	static final int WRITER = 1;

	static final int READER = 2;

	static final int PERMIT = 3;

	private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private static final int PLACES = 2048;

	private static final int ROLE = 0;

	private static final int INSIDE = 8;

	private static final int RELIES_UNTIL = 16;

	private static final int ENTRIES = 24;

	private static final int LONGEST_WAIT = 32;

	private static final int SIZE = 40;

	private final ByteBuffer memory;

	private SharingGuard(ByteBuffer memory) {
		this.memory = memory;
	}

	static SharingGuard open(Path file) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			return new SharingGuard(channel.map(MapMode.READ_WRITE, 0, (long) PLACES * SIZE));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Stay inside for some time.
	 * @param place the thread's place
	 * @param most how many may be inside with a permit
	 * @return a violation, or {@code null}
	 */
	@Nullable String hold(int place, int role, int most, LockHandle lock, Duration waited, Duration length) {
		set(place, ROLE, role);
		set(place, LONGEST_WAIT, Math.max(get(place, LONGEST_WAIT), waited.toNanos()));
		set(place, RELIES_UNTIL, System.nanoTime() + lock.remaining().toNanos());
		set(place, ENTRIES, get(place, ENTRIES) + 1);
		set(place, INSIDE, 1);
		int others = conflicts(place, role);
		// What a thread saw does not count if it was stopped past its lease.
		boolean tooMany = others >= most && lock.isHeld();
		if (!tooMany) {
			Instances.work(length);
		}
		set(place, INSIDE, 0);
		return tooMany ? "role %d beside %d others".formatted(role, others) : null;
	}

	/**
	 * Return how many threads of some places are inside.
	 */
	int inside(int first, int count) {
		return (int) IntStream.range(first, first + count).filter(this::isInside).count();
	}

	long entries(int role) {
		return ofRole(role).mapToLong((place) -> get(place, ENTRIES)).sum();
	}

	/**
	 * Return how often the threads of some places were inside.
	 */
	long entries(int first, int count) {
		return IntStream.range(first, first + count).mapToLong((place) -> get(place, ENTRIES)).sum();
	}

	Duration longestWait(int role) {
		return Duration.ofNanos(ofRole(role).mapToLong((place) -> get(place, LONGEST_WAIT)).max().orElse(0));
	}

	/**
	 * Return the least number of other threads inside at one moment that conflict with a
	 * role. The places are read one after the other, and in between one thread may leave
	 * and another one enter. So each place is read again. A thread that is still in the
	 * same turn was inside all the time.
	 */
	private int conflicts(int place, int role) {
		List<Turn> seen = IntStream.range(0, PLACES)
			.filter((other) -> other != place)
			.mapToObj((other) -> new Turn(other, get(other, ENTRIES)))
			.filter((turn) -> isInside(turn.place()))
			.filter((turn) -> role != READER || get(turn.place(), ROLE) == WRITER)
			.toList();
		long stillInside = seen.stream()
			.filter((turn) -> isInside(turn.place()) && get(turn.place(), ENTRIES) == turn.number())
			.count();
		return Math.max(Math.min(1, seen.size()), (int) stillInside);
	}

	private boolean isInside(int place) {
		return get(place, INSIDE) == 1 && get(place, RELIES_UNTIL) - System.nanoTime() > 0;
	}

	private IntStream ofRole(int role) {
		return IntStream.range(0, PLACES).filter((place) -> get(place, ROLE) == role);
	}

	private long get(int place, int offset) {
		return (long) LONGS.getVolatile(this.memory, place * SIZE + offset);
	}

	private void set(int place, int offset, long value) {
		LONGS.setVolatile(this.memory, place * SIZE + offset, value);
	}

	private record Turn(int place, long number) {
	}

}
