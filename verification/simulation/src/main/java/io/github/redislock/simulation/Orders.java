package io.github.redislock.simulation;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Chooses the order of deliveries, and at most one disturbance. Each run takes other
 * choices, until all were taken: depth first.
 */
final class Orders {

	/** How long data is under way unless it is disturbed, in nanoseconds. */
	static final long DELAY = 400_000;

	/** Deliveries whose moments differ by no more than this may change places. */
	private static final long WINDOW = 300_000;

	/** Less than the lease. */
	private static final long LATE = 200_000_000;

	/** More than the lease. */
	private static final long VERY_LATE = 1_000_000_000;

	private final List<Choice> choices = new ArrayList<>();

	private final Map<VirtualTime.Event, Lane> pending = new IdentityHashMap<>();

	private final List<VirtualTime.Event> inOrder = new ArrayList<>();

	/** Until when data may be disturbed. */
	private final long end;

	private int taken;

	private boolean disturbed;

	Orders(long end) {
		this.end = end;
	}

	/**
	 * Prepare the next run.
	 * @return whether there is one
	 */
	boolean next() {
		again();
		while (!this.choices.isEmpty()) {
			Choice last = this.choices.get(this.choices.size() - 1);
			if (++last.number < last.count) {
				return true;
			}
			this.choices.remove(this.choices.size() - 1);
		}
		return false;
	}

	/**
	 * Prepare the present run once more.
	 */
	void again() {
		this.taken = 0;
		this.disturbed = false;
		this.pending.clear();
		this.inOrder.clear();
	}

	boolean isDisturbed() {
		return this.disturbed;
	}

	void add(Lane lane, VirtualTime.Event delivery) {
		this.pending.put(delivery, lane);
		this.inOrder.add(delivery);
	}

	/**
	 * Return what happens now.
	 * @param due the next event, which is not always a delivery
	 */
	Runnable choose(VirtualTime time, VirtualTime.Event due) {
		if (!this.pending.containsKey(due)) {
			return due.action();
		}
		List<VirtualTime.Event> possible = possible(due.moment() + WINDOW);
		VirtualTime.Event chosen = possible.get(take(possible.size()));
		if (chosen != due) {
			time.exchange(due, chosen);
		}
		this.inOrder.remove(chosen);
		Lane lane = Objects.requireNonNull(this.pending.remove(chosen));
		Disturbance[] kinds = Disturbance.values();
		int most = (this.disturbed || time.now() >= this.end) ? 1
				: lane.client.repeats() ? kinds.length : kinds.length - 1;
		Disturbance disturbance = kinds[take(most)];
		this.disturbed |= disturbance != Disturbance.NONE;
		return disturbance.of(time, lane, chosen.action());
	}

	/**
	 * Return the first delivery of each lane, if it may come before the given moment.
	 */
	private List<VirtualTime.Event> possible(long moment) {
		Map<Lane, VirtualTime.Event> first = new LinkedHashMap<>();
		this.inOrder.forEach((delivery) -> first.putIfAbsent(this.pending.get(delivery), delivery));
		return first.values().stream().filter((delivery) -> delivery.moment() <= moment).toList();
	}

	private int take(int count) {
		if (this.taken == this.choices.size()) {
			this.choices.add(new Choice(count));
		}
		Choice choice = this.choices.get(this.taken++);
		if (choice.count != count) {
			throw new IllegalStateException("A run that is repeated differs from the first one");
		}
		return choice.number;
	}

	@Override
	public String toString() {
		return this.choices.stream()
			.map((choice) -> choice.number + " of " + choice.count)
			.collect(Collectors.joining(", "));
	}

	/**
	 * Data that keeps its order: one direction of a connection.
	 */
	static final class Lane {

		private final Client client;

		private long closedUntil;

		Lane(Client client) {
			this.client = client;
		}

		long closedUntil() {
			return this.closedUntil;
		}

	}

	/**
	 * The client at one end of a lane.
	 */
	interface Client {

		/**
		 * Return whether its data may arrive twice.
		 */
		boolean repeats();

		void copied();

		/** Break the connection. */
		void reset();

		/** Stop the process for some nanoseconds. */
		void pause(long nanos);

	}

	private static final class Choice {

		private final int count;

		private int number;

		private Choice(int count) {
			this.count = count;
		}

	}

	/**
	 * What goes wrong with a delivery.
	 */
	private enum Disturbance {

		NONE {
			@Override
			Runnable of(VirtualTime time, Lane lane, Runnable delivery) {
				return delivery;
			}
		},

		LOST {
			@Override
			Runnable of(VirtualTime time, Lane lane, Runnable delivery) {
				return () -> {
				};
			}
		},

		/** What follows on the same connection is late, too. */
		LATE {
			@Override
			Runnable of(VirtualTime time, Lane lane, Runnable delivery) {
				return later(time, lane, delivery, Orders.LATE);
			}
		},

		VERY_LATE {
			@Override
			Runnable of(VirtualTime time, Lane lane, Runnable delivery) {
				return later(time, lane, delivery, Orders.VERY_LATE);
			}
		},

		/** The process of the client stops before the data arrives. */
		PAUSED {
			@Override
			Runnable of(VirtualTime time, Lane lane, Runnable delivery) {
				return () -> {
					lane.client.pause(Orders.VERY_LATE);
					delivery.run();
				};
			}
		},

		/** The connection breaks before the data arrives. */
		RESET {
			@Override
			Runnable of(VirtualTime time, Lane lane, Runnable delivery) {
				return () -> {
					lane.client.reset();
					delivery.run();
				};
			}
		},

		TWICE {
			@Override
			Runnable of(VirtualTime time, Lane lane, Runnable delivery) {
				return () -> {
					delivery.run();
					lane.client.copied();
					time.after(Orders.LATE, delivery);
				};
			}
		};

		private static Runnable later(VirtualTime time, Lane lane, Runnable delivery, long nanos) {
			lane.closedUntil = time.now() + nanos;
			return () -> time.at(lane.closedUntil, delivery);
		}

		abstract Runnable of(VirtualTime time, Lane lane, Runnable delivery);

	}

}
