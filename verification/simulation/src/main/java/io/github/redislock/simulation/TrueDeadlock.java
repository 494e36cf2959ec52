package io.github.redislock.simulation;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.github.redislock.LockNotAcquiredException;

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
		follow(List.of(attempt));
	}

	/**
	 * Follow a chain of waits along each way until it comes back to its first one. A lock
	 * of which Redis was made to forget may have two holders.
	 */
	private void follow(List<Attempt> chain) {
		for (Attempt next : waitsOfHolders(chain.get(chain.size() - 1))) {
			if (!chain.contains(next)) {
				follow(Stream.concat(chain.stream(), Stream.of(next)).toList());
			}
			else if (next.equals(chain.get(0)) && chain.size() > 1) {
				world().counts().count("dead-lock");
				this.deadlocked.addAll(chain);
			}
		}
	}

	/**
	 * Return for what the threads wait that have the lock for which another one waits.
	 */
	private List<Attempt> waitsOfHolders(Attempt waiting) {
		List<Attempt> all = world().attempts();
		return all.stream()
			.filter((other) -> other.caller() != null && other.isHolding() && !other.isLost())
			.filter((other) -> other.ask().target().equals(waiting.ask().target()))
			.flatMap((holder) -> all.stream()
				.filter((other) -> other.caller() == holder.caller() && other.isAsking() && !other.isOver()))
			.toList();
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
