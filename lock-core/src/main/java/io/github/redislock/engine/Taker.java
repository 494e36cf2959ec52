package io.github.redislock.engine;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The thread that took a lock, and where it did. Thread-safe.
 */
final class Taker {

	private static final int MOST_FRAMES = 12;

	private final List<StackTraceElement> origin;

	private final boolean isThread;

	/** {@code null} once others go on with the lock. */
	private volatile @Nullable Thread thread;

	private volatile boolean left;

	/**
	 * Create a taker.
	 * @param thread {@code null} if it is nobody's thread
	 * @param origin where it took the lock; empty if it does not leave that place before
	 * it lets go of it
	 */
	Taker(@Nullable Thread thread, List<StackTraceElement> origin) {
		this.thread = thread;
		this.isThread = thread != null;
		this.origin = origin;
	}

	/**
	 * Return whether a thread took the lock, and not work that belongs to none.
	 */
	boolean isThread() {
		return this.isThread;
	}

	@Nullable Thread thread() {
		return this.thread;
	}

	/**
	 * Go on without the thread that took the lock: it has nothing to do with it any more.
	 */
	void detach() {
		this.left = true;
		this.thread = null;
	}

	/**
	 * Return whether the thread has left the lock to others.
	 */
	boolean hasLeft() {
		return this.left;
	}

	/**
	 * Note that a thread uses the lock: if it is another one, the end of the first does
	 * not matter any more.
	 */
	void usedBy(Thread user) {
		if (this.thread != null && !user.equals(this.thread)) {
			this.thread = null;
		}
	}

	/**
	 * Note that the lock is used by work of no thread: the end of the taker does not
	 * matter any more.
	 */
	void usedByWork() {
		this.thread = null;
	}

	/**
	 * Return whether the thread has ended and nobody else has used the lock since.
	 */
	boolean hasDied() {
		Thread present = this.thread;
		return present != null && !present.isAlive();
	}

	/**
	 * Return the call by which the lock was taken.
	 * @return {@code null} if it is not remembered
	 */
	@Nullable StackTraceElement place() {
		return this.origin.isEmpty() ? null : this.origin.get(0);
	}

	/**
	 * Return where the lock was taken, or where its thread is now, as lines of a stack
	 * trace.
	 */
	String describe() {
		Thread present = this.thread;
		if (!this.origin.isEmpty()) {
			String who = (present != null) ? " by thread '" + present.getName() + "'" : "";
			return "Taken" + who + lines(this.origin);
		}
		if (!this.isThread) {
			return "It belongs to no thread.";
		}
		String who = (present != null) ? "thread '" + present.getName() + "'" : "another thread";
		List<StackTraceElement> now = (present != null) ? Arrays.asList(present.getStackTrace()) : List.of();
		return "It is held by " + who + ", which is" + lines(now.subList(0, Math.min(MOST_FRAMES, now.size())));
	}

	private static String lines(List<StackTraceElement> frames) {
		if (frames.isEmpty()) {
			return " at an unknown place";
		}
		return frames.stream().map((frame) -> "\n\tat " + frame).collect(Collectors.joining());
	}

}
