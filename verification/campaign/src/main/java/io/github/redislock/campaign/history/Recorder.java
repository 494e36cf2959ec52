package io.github.redislock.campaign.history;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * Records the events of a process. Each line is written at once, because the process may
 * be killed at any time. Thread-safe, and not affected by interrupts.
 */
public final class Recorder {

	public static final long FOREVER = Long.MAX_VALUE / 2;

	static final String NONE = "-";

	private final FileOutputStream file;

	private final AtomicLong numbers = new AtomicLong();

	public Recorder(Path file) {
		try {
			this.file = new FileOutputStream(file.toFile(), true);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Record that a caller is about to acquire a lock.
	 * @return the number of the attempt
	 */
	public long asks(String key, @Nullable String ownToken, long waitNanos) {
		long attempt = this.numbers.incrementAndGet();
		write("ask", attempt, key, (ownToken != null) ? ownToken : NONE, waitNanos, System.nanoTime());
		return attempt;
	}

	/**
	 * Record that the caller was granted the lock.
	 * @param until the time until which the handle will claim that the lock is held
	 */
	public void has(long attempt, long token, String owner, long replied, long until) {
		write("has", attempt, token, owner, replied, until);
	}

	/**
	 * Record that the caller is about to release the lock. If the process is killed
	 * afterwards, the outcome is unknown.
	 * @param until the time until which the handle claimed that the lock was held
	 */
	public void lets(long attempt, long until) {
		write("off", attempt, until);
	}

	/**
	 * Record that the caller has released the lock.
	 * @param until the time until which the handle claimed that the lock was held
	 */
	public void ends(long attempt, Outcome outcome, long until) {
		write("end", attempt, outcome, until, System.nanoTime());
	}

	/**
	 * Record that the caller did not get the lock.
	 * @param holder the owner token of the holder, if the refusal contained it
	 */
	public void isDenied(long attempt, Outcome outcome, long replied, @Nullable String holder) {
		write("not", attempt, outcome, replied, (holder != null) ? holder : NONE);
	}

	/**
	 * Record that a leader was notified of the end of its leadership.
	 * @param due when the leadership was over
	 * @param at when the leader was notified
	 */
	public void told(long due, long at) {
		write("told", due, at);
	}

	/**
	 * Record a period in which the process did not run.
	 */
	public void stalled(long from, long until) {
		write("gap", from, until);
	}

	public void unexpected(String what) {
		write("bad", what.replace('\n', ' '));
	}

	private void write(Object... words) {
		StringBuilder line = new StringBuilder();
		for (Object word : words) {
			line.append(line.isEmpty() ? "" : " ").append(word);
		}
		byte[] bytes = line.append('\n').toString().getBytes(StandardCharsets.UTF_8);
		try {
			synchronized (this.file) {
				this.file.write(bytes);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
