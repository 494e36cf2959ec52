package io.github.redislock.campaign.history;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * Writes down what a process does, line by line and at once: it may be killed at any
 * time. Thread-safe; an interrupt does it no harm.
 */
public final class Recorder {

	/** A waiting time without end. */
	public static final long FOREVER = Long.MAX_VALUE / 2;

	static final String NONE = "-";

	private final FileOutputStream file;

	private final AtomicLong numbers = new AtomicLong();

	/**
	 * Create a recorder.
	 * @param file what to write to, one for each process
	 */
	public Recorder(Path file) {
		try {
			this.file = new FileOutputStream(file.toFile(), true);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Somebody is about to ask for a lock.
	 * @return the number of the attempt
	 */
	public long asks(String key, @Nullable String ownToken, long waitNanos) {
		long attempt = this.numbers.incrementAndGet();
		write("ask", attempt, key, (ownToken != null) ? ownToken : NONE, waitNanos, System.nanoTime());
		return attempt;
	}

	/**
	 * He has it in his hands.
	 * @param until until when his handle will claim that it is held
	 */
	public void has(long attempt, long token, String owner, long replied, long until) {
		write("has", attempt, token, owner, replied, until);
	}

	/**
	 * He is about to let go: should he be killed now, nobody knows whether he has.
	 * @param until until when his handle claimed that it was held
	 */
	public void lets(long attempt, long until) {
		write("off", attempt, until);
	}

	/**
	 * He has let go.
	 * @param until until when his handle claimed that it was held
	 */
	public void ends(long attempt, Outcome outcome, long until) {
		write("end", attempt, outcome, until, System.nanoTime());
	}

	/**
	 * He was not given the lock.
	 * @param holder the owner token of who has it, if he was told
	 */
	public void isDenied(long attempt, Outcome outcome, long replied, @Nullable String holder) {
		write("not", attempt, outcome, replied, (holder != null) ? holder : NONE);
	}

	/**
	 * A leader was told that it is one no longer.
	 * @param due when it was so
	 * @param at when it was told
	 */
	public void told(long due, long at) {
		write("told", due, at);
	}

	/**
	 * The process did not run.
	 */
	public void stalled(long from, long until) {
		write("gap", from, until);
	}

	/**
	 * Something happened that nobody should ever see.
	 */
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
