package io.github.redislock.simulation;

import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/**
 * The true time, which no clock of the world shows, and all scheduled events. Nothing
 * waits in real time, because the next event runs at once.
 */
public final class VirtualTime {

	/** Several hundred times as many as a usual run takes. */
	private static final long MOST_STEPS = 10_000_000;

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private Runnable afterStep = () -> {
	};

	private long now;

	private long numbers;

	/** Decides which delivery comes first, if not their moments alone. */
	private @Nullable Orders orders;

	private long steps;

	void orderedBy(Orders orders) {
		this.orders = orders;
	}

	/**
	 * Return whether the order of deliveries does not depend on the seed.
	 */
	boolean isOrdered() {
		return this.orders != null;
	}

	/**
	 * Return whether a delivery was disturbed.
	 */
	boolean isDisturbed() {
		return this.orders != null && this.orders.isDisturbed();
	}

	void afterStep(Runnable action) {
		this.afterStep = action;
	}

	/**
	 * Return the current time, in nanoseconds since the world began.
	 */
	public long now() {
		return this.now;
	}

	long steps() {
		return this.steps;
	}

	/**
	 * Schedule an event. Events for the same moment happen in the order in which they
	 * were scheduled.
	 */
	Event at(long moment, Runnable action) {
		Event event = new Event(Math.max(moment, this.now), this.numbers++, action);
		this.events.add(event);
		return event;
	}

	/**
	 * Schedule the arrival of data from the network.
	 */
	void deliver(Orders.Lane lane, long moment, Runnable action) {
		if (this.orders != null) {
			this.orders.add(lane, at(Math.max(moment, lane.closedUntil()), action));
		}
		else {
			at(moment, action);
		}
	}

	/**
	 * Schedule an event that {@link #isEmpty()} ignores once the event is void.
	 */
	Event after(long nanos, BooleanSupplier isVoid, Runnable action) {
		Event event = after(nanos, action);
		event.isVoid = isVoid;
		return event;
	}

	Event after(long nanos, Runnable action) {
		return at(this.now + nanos, action);
	}

	/**
	 * Let time pass until a condition is true or the given moment has come.
	 * @return whether the condition is true
	 */
	boolean pass(BooleanSupplier done, long until) {
		while (!done.getAsBoolean()) {
			Event next = this.events.peek();
			if (next == null || next.moment > until) {
				this.now = Math.max(this.now, until);
				return false;
			}
			this.events.poll();
			if (next.cancelled) {
				continue;
			}
			this.now = next.moment;
			this.steps++;
			if (this.steps > MOST_STEPS) {
				throw new Violation("Ends", "the run does not end");
			}
			next.done = true;
			((this.orders != null) ? this.orders.choose(this, next) : next.action).run();
			this.afterStep.run();
		}
		return true;
	}

	/**
	 * Let another event happen instead of the one that is due, which stays scheduled.
	 */
	void exchange(Event due, Event other) {
		due.done = false;
		this.events.add(due);
		this.events.remove(other);
		other.done = true;
	}

	/**
	 * Return whether no events are left, except cancelled ones and those of dead hosts.
	 */
	boolean isEmpty() {
		this.events.removeIf((event) -> event.cancelled || event.isVoid.getAsBoolean());
		return this.events.isEmpty();
	}

	static final class Event implements Comparable<Event> {

		private final long moment;

		private final long number;

		private final Runnable action;

		private BooleanSupplier isVoid = () -> false;

		private boolean cancelled;

		private boolean done;

		long moment() {
			return this.moment;
		}

		Runnable action() {
			return this.action;
		}

		private Event(long moment, long number, Runnable action) {
			this.moment = moment;
			this.number = number;
			this.action = action;
		}

		boolean cancel() {
			boolean first = !this.cancelled && !this.done;
			this.cancelled = true;
			return first;
		}

		boolean isCancelled() {
			return this.cancelled;
		}

		boolean isDone() {
			return this.done || this.cancelled;
		}

		@Override
		public int compareTo(Event other) {
			int byMoment = Long.compare(this.moment, other.moment);
			return (byMoment != 0) ? byMoment : Long.compare(this.number, other.number);
		}

	}

}
