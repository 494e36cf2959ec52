package io.github.redislock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.redislock.LockNotAcquiredException;

/**
 * A reported deadlock was real: at some moment of the caller's wait, each caller in a
 * circle held the lock that the previous caller waited for. Until the first fault, a
 * caller that stops waiting is notified of the deadlock if the circle has lasted long
 * enough and all of its callers belong to one instance.
 */
final class TrueDeadlock extends Rule {

	/**
	 * The longest time until a deadlock is found: 2.5 s by any clock, plus some time for
	 * the search.
	 */
	private static final long LONGEST_SEARCH = 2_700_000_000L;

	private final List<Circle> circles = new ArrayList<>();

	TrueDeadlock(World world) {
		super(world);
	}

	/**
	 * Look for circles. Only a caller that begins to wait can close a circle, because a
	 * caller that is granted a lock does not wait at that moment.
	 */
	@Override
	void asked(Attempt attempt) {
		follow(List.of(attempt));
	}

	/**
	 * Follow a chain of waits along each path until it comes back to its first caller. If
	 * Redis has lost data, a lock may have two holders.
	 */
	private void follow(List<Attempt> chain) {
		for (Attempt next : waitsOfHolders(chain.get(chain.size() - 1))) {
			if (!chain.contains(next)) {
				follow(Stream.concat(chain.stream(), Stream.of(next)).toList());
			}
			else if (next.equals(chain.get(0)) && chain.size() > 1) {
				world().counts().count("deadlock");
				this.circles.add(new Circle(chain, holds(chain), world().time().now()));
			}
		}
	}

	private List<Attempt> waitsOfHolders(Attempt waiting) {
		return holders(waiting)
			.flatMap((holder) -> world().attempts()
				.stream()
				.filter((other) -> other.caller() == holder.caller() && other.isAsking() && !other.isOver()))
			.toList();
	}

	private Stream<Attempt> holders(Attempt waiting) {
		return world().attempts()
			.stream()
			.filter((other) -> other.caller() != null && other.isHolding() && !other.isLost())
			.filter((other) -> other.ask().target().equals(waiting.ask().target()));
	}

	private List<Attempt> holds(List<Attempt> circle) {
		return circle.stream().flatMap(this::holders).toList();
	}

	@Override
	void failed(Attempt attempt, Throwable failure) {
		if (!(failure instanceof LockNotAcquiredException refused)) {
			return;
		}
		String told = refused.getDeadlock();
		if (told != null) {
			world().counts().count("deadlock reported");
		}
		List<Circle> of = this.circles.stream().filter((circle) -> circle.waits().contains(attempt)).toList();
		if (told != null && of.isEmpty()) {
			broken("caller %s of %s reported a deadlock that did not exist: %s".formatted(attempt, attempt.instance(),
					told));
		}
		long now = world().time().now();
		of.stream()
			.filter((circle) -> told == null && world().isUndisturbed() && circle.isStill(attempt)
					&& circle.isOfOneInstance() && now - circle.since() > LONGEST_SEARCH)
			.findFirst()
			.ifPresent((circle) -> broken("caller %s of %s did not report a deadlock that has lasted for %d ms: %s"
				.formatted(attempt, attempt.instance(), (now - circle.since()) / 1_000_000, circle.waits())));
	}

	/**
	 * A circle of waiting callers.
	 *
	 * @param holds the holds that these callers wait for
	 */
	private record Circle(List<Attempt> waits, List<Attempt> holds, long since) {

		boolean isOfOneInstance() {
			return this.waits.stream().map(Attempt::instance).distinct().count() == 1;
		}

		/**
		 * Return whether the circle was unchanged when one of its callers stopped
		 * waiting.
		 */
		boolean isStill(Attempt ended) {
			return this.holds.stream().allMatch((hold) -> hold.isHolding() && !hold.isLost()) && this.waits.stream()
				.allMatch((wait) -> wait.equals(ended) || (wait.isAsking() && !wait.isOver()));
		}

	}

}
