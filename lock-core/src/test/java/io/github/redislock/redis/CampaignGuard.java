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
import java.util.concurrent.atomic.AtomicLong;

import io.github.redislock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * Memory that several processes share and that knows nothing of locks: who is inside, how
 * long he may rely on it, and the last fencing token.
 * <p>
 * Whoever is killed inside stays noted, so others may enter when his lease is over. All
 * processes of a machine measure by the same monotonic clock.
 */
final class CampaignGuard {

	private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private static final int HOLDER = 0;

	private static final int RELIES_UNTIL = 8;

	private static final int TOKEN = 16;

	private static final int ENTRIES = 24;

	private static final int SIZE = 32;

	private static final AtomicLong ENTRY = new AtomicLong(ProcessHandle.current().pid() << 32);

	private final ByteBuffer memory;

	private CampaignGuard(ByteBuffer memory) {
		this.memory = memory;
	}

	static CampaignGuard open(Path file) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			return new CampaignGuard(channel.map(MapMode.READ_WRITE, 0, SIZE));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return how often somebody was inside.
	 */
	long entries() {
		return get(ENTRIES);
	}

	/**
	 * Be inside for a while.
	 * @return what must not be, or {@code null}
	 */
	@Nullable String hold(LockHandle lock, Duration length) {
		if (!lock.isHeld()) {
			return null;
		}
		long me = ENTRY.incrementAndGet();
		long other = get(HOLDER);
		long left = get(RELIES_UNTIL) - System.nanoTime();
		long lastToken = get(TOKEN);
		set(HOLDER, me);
		set(RELIES_UNTIL, System.nanoTime() + lock.remaining().toNanos());
		set(TOKEN, lock.fencingToken());
		set(ENTRIES, get(ENTRIES) + 1);
		if (!lock.isHeld()) {
			// It was stopped until its lease was over: what it has seen means nothing.
			return null;
		}
		if (other != 0 && left > 0) {
			return "entered while another one relied on the lock for %d us more".formatted(left / 1_000);
		}
		if (lock.fencingToken() <= lastToken) {
			return "token %d after %d".formatted(lock.fencingToken(), lastToken);
		}
		Instances.work(length);
		boolean alone = get(HOLDER) == me;
		if (!alone) {
			return lock.isHeld() ? "another one entered" : null;
		}
		set(RELIES_UNTIL, System.nanoTime());
		set(HOLDER, 0);
		return null;
	}

	private long get(int offset) {
		return (long) LONGS.getVolatile(this.memory, offset);
	}

	private void set(int offset, long value) {
		LONGS.setVolatile(this.memory, offset, value);
	}

}
