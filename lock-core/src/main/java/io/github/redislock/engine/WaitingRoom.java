package io.github.redislock.engine;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * The lines of this process's callers, one for each lock that somebody waits for or
 * holds. Thread-safe, without locks.
 */
final class WaitingRoom {

	private final ConcurrentMap<LockTarget, Line> lines = new ConcurrentHashMap<>();

	private final Function<LockTarget, Line> newLine;

	/**
	 * Create an empty room.
	 * @param newLine makes a line that is used once already
	 */
	WaitingRoom(Function<LockTarget, Line> newLine) {
		this.newLine = newLine;
	}

	/**
	 * Return the line for a lock, to be left once.
	 */
	Line enter(LockTarget target) {
		while (true) {
			Line line = this.lines.get(target);
			if (line != null && line.use()) {
				return line;
			}
			Line fresh = this.newLine.apply(target);
			if (replace(target, line, fresh)) {
				return fresh;
			}
		}
	}

	/**
	 * Leave a line, and forget it if nobody uses it any more.
	 */
	void leave(Line line) {
		if (line.unuse()) {
			this.lines.remove(line.target(), line);
		}
	}

	/**
	 * Return the line for a lock without entering it.
	 */
	@Nullable Line find(LockTarget target) {
		return this.lines.get(target);
	}

	private boolean replace(LockTarget target, @Nullable Line left, Line fresh) {
		return (left != null) ? this.lines.replace(target, left, fresh) : this.lines.putIfAbsent(target, fresh) == null;
	}

	boolean isEmpty() {
		return this.lines.isEmpty();
	}

}
