package io.github.redislock.campaign.failover;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.github.redislock.campaign.failover.Statistics.Span;

/**
 * What all holders believed, and the counters that the locks protect. All times are of
 * the monotonic clock of this process.
 */
final class Ledger {

	private final List<List<Stay>> stays;

	private final long[] counters;

	/** The highest token that read or wrote each counter. */
	private final long[] tokens;

	private long increments;

	private long taken;

	private final List<Grant> grants = new ArrayList<>();

	Ledger(int locks) {
		this.stays = IntStream.range(0, locks).<List<Stay>>mapToObj((lock) -> new ArrayList<>()).toList();
		this.counters = new long[locks];
		this.tokens = new long[locks];
	}

	/**
	 * Record that a holder believes in its lock from now on.
	 */
	synchronized Stay enter(int lock) {
		Stay stay = new Stay(System.nanoTime());
		this.stays.get(lock).add(stay);
		this.taken++;
		return stay;
	}

	/**
	 * Return how many times a hot lock has been acquired so far.
	 */
	synchronized long taken() {
		return this.taken;
	}

	/**
	 * Read a counter, as in a transaction that a fence admits.
	 * @throws IllegalStateException if a later holder came before
	 */
	synchronized long read(int lock, long token) {
		admit(lock, token);
		return this.counters[lock];
	}

	/**
	 * Write a counter that was read before, without a check of the value.
	 * @throws IllegalStateException if a later holder came before
	 */
	synchronized void write(int lock, long token, long value) {
		admit(lock, token);
		this.counters[lock] = value;
		this.increments++;
	}

	private void admit(int lock, long token) {
		if (token < this.tokens[lock]) {
			throw new IllegalStateException("A later holder has already been admitted");
		}
		this.tokens[lock] = token;
	}

	/**
	 * Return how many increments have been overwritten so far.
	 */
	synchronized long lost() {
		return this.increments
				- IntStream.range(0, this.counters.length).mapToLong((lock) -> this.counters[lock]).sum();
	}

	/**
	 * Record that a free lock was acquired.
	 */
	synchronized void granted(int instance, long asked, long replied) {
		this.grants.add(new Grant(instance, asked, replied));
	}

	/**
	 * Return when one of these instances was first granted a free lock that it had
	 * requested after a given time.
	 */
	synchronized OptionalLong firstGrant(Collection<Integer> instances, long after) {
		return this.grants.stream()
			.filter((grant) -> grant.asked() >= after && instances.contains(grant.instance()))
			.mapToLong(Grant::replied)
			.min();
	}

	/**
	 * Return how long it took to acquire a free lock in a window.
	 */
	synchronized List<Long> acquiring(Span window) {
		return this.grants.stream()
			.filter((grant) -> grant.asked() >= window.from() && grant.replied() <= window.until())
			.map((grant) -> grant.replied() - grant.asked())
			.toList();
	}

	/**
	 * Return the longest time in a window for which one lock had two holders.
	 */
	synchronized long overlap(Span window) {
		return this.stays.stream()
			.mapToLong(
					(ofLock) -> Statistics.overlap(ofLock.stream().map((stay) -> stay.span().within(window)).toList()))
			.max()
			.orElse(0);
	}

	/**
	 * Forget what ended before a given time.
	 */
	synchronized void forget(long before) {
		Predicate<Stay> over = (stay) -> stay.span().until() < before && stay.isOver();
		this.stays.forEach((ofLock) -> ofLock.removeIf(over));
		this.grants.removeIf((grant) -> grant.replied() < before);
	}

	/**
	 * The time during which a holder believes in its lock.
	 */
	static final class Stay {

		private final long from;

		private volatile long until;

		private volatile boolean over;

		private Stay(long from) {
			this.from = from;
			this.until = from;
		}

		/**
		 * Record that the holder believed in its lock at this time.
		 */
		void believedAt(long time) {
			this.until = time;
		}

		void end() {
			this.over = true;
		}

		boolean isOver() {
			return this.over;
		}

		Span span() {
			return new Span(this.from, this.until);
		}

	}

	private record Grant(int instance, long asked, long replied) {
	}

}
