package io.github.redislock.test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.HeldLock;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.ThreadLocks;
import org.jspecify.annotations.Nullable;

/**
 * Records which locks callers requested while they held others, and finds conflicting
 * orders. Thread-safe.
 */
final class LockOrders {

	/**
	 * Each order with the first thread that used it, in the order of occurrence. Guarded
	 * by this object's monitor.
	 */
	private final Map<Order, String> orders = new LinkedHashMap<>();

	void asked(LockTarget target) {
		Set<String> held = Stream.concat(ThreadLocks.taken().stream(), ThreadLocks.ofWork().stream())
			.map(HeldLock::target)
			.flatMap((lock) -> lock.names().stream())
			.collect(Collectors.toSet());
		// Locks that are acquired together have no order.
		target.names().forEach(held::remove);
		if (held.isEmpty()) {
			return;
		}
		String thread = Thread.currentThread().getName();
		synchronized (this) {
			for (String name : target.names()) {
				held.forEach((earlier) -> this.orders.putIfAbsent(new Order(earlier, name, Set.copyOf(held)), thread));
			}
		}
	}

	/**
	 * Return orders that form a cycle and therefore conflict, such as {@code a} before
	 * {@code b}, and {@code b} before {@code a}.
	 * @return a description of the orders, or {@code null} if there is no cycle
	 */
	synchronized @Nullable String contradiction() {
		for (Order order : this.orders.keySet()) {
			List<Order> circle = circle(List.of(order));
			if (circle != null) {
				return circle.stream().map(this::describe).collect(Collectors.joining("; "));
			}
		}
		return null;
	}

	/**
	 * Return a cycle of orders that begins with a chain, or {@code null} if there is
	 * none. A cycle does not contain two orders with a common held lock, because that
	 * lock prevents a deadlock between their threads.
	 */
	private @Nullable List<Order> circle(List<Order> chain) {
		Order last = chain.get(chain.size() - 1);
		for (Order next : this.orders.keySet()) {
			if (!next.first.equals(last.second) || chain.stream().anyMatch((order) -> order.isKeptApartFrom(next))) {
				continue;
			}
			List<Order> longer = new ArrayList<>(chain);
			longer.add(next);
			List<Order> circle = next.second.equals(chain.get(0).first) ? longer : circle(longer);
			if (circle != null) {
				return circle;
			}
		}
		return null;
	}

	private String describe(Order order) {
		return "thread '%s' held '%s' and requested '%s'".formatted(this.orders.get(order), order.first, order.second);
	}

	synchronized void clear() {
		this.orders.clear();
	}

	/**
	 * A lock that was requested while another one was held.
	 *
	 * @param held all locks that were held
	 */
	private record Order(String first, String second, Set<String> held) {

		/**
		 * Return whether the threads of both orders held a common lock, so that they
		 * cannot deadlock with each other. This is also true of an order and itself.
		 */
		boolean isKeptApartFrom(Order other) {
			return !Collections.disjoint(this.held, other.held);
		}

	}

}
