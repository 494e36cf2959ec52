package io.github.redislock.simulation;

import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/**
 * The true time, which no clock of the world shows, and all scheduled events. Nothing
 * waits in real time, because the next event runs at once.
 */
public final class VirtualTime {

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private Runnable afterStep = () -> {
	};

	private long now;

	private long numbers;

	private long steps;

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
			next.done = true;
			next.action.run();
			this.afterStep.run();
		}
		return true;
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
