package io.github.redislock.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.github.redislock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/**
 * A caller that is told of a dead-lock was part of one: at some moment of its wait, each
 * caller of a circle had a lock for which the one before it waited.
 */
final class TrueDeadlock extends Rule {

	/** Those that were part of a circle. */
	private final Set<Attempt> deadlocked = new HashSet<>();

	TrueDeadlock(World world) {
		super(world);
	}

	/**
	 * A circle is closed by a caller that begins to wait: one that is given a lock does
	 * not wait at that moment.
	 */
	@Override
	void asked(Attempt attempt) {
		List<Attempt> circle = new ArrayList<>();
		Attempt waiting = attempt;
		while (waiting != null && !circle.contains(waiting)) {
			circle.add(waiting);
			waiting = waitOfHolder(waiting);
		}
		if (attempt.equals(waiting) && circle.size() > 1) {
			world().counts().count("dead-lock");
			this.deadlocked.addAll(circle);
		}
	}

	/**
	 * Return for what the thread waits that has the lock for which another one waits.
	 */
	private @Nullable Attempt waitOfHolder(Attempt waiting) {
		List<Attempt> all = world().attempts();
		return all.stream()
			.filter((other) -> other.caller() != null && other.isHolding() && !other.isLost())
			.filter((other) -> other.ask().target().equals(waiting.ask().target()))
			.flatMap((holder) -> all.stream()
				.filter((other) -> other.caller() == holder.caller() && other.isAsking() && !other.isOver()))
			.findFirst()
			.orElse(null);
	}

	@Override
	void failed(Attempt attempt, Throwable failure) {
		String told = (failure instanceof LockNotAcquiredException refused) ? refused.getDeadlock() : null;
		if (told == null) {
			return;
		}
		world().counts().count("dead-lock told");
		if (!this.deadlocked.contains(attempt)) {
			broken("caller %s of %s was told of a dead-lock that there was not: %s".formatted(attempt,
					attempt.instance(), told));
		}
	}

}
