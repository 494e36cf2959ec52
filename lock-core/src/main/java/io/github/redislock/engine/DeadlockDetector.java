package io.github.redislock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.engine.HoldingWait.Snapshot;
import io.github.redislock.internal.support.OwnerTokens;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Detects deadlocks: callers, in this process and others, that wait for each other in a
 * circle. Thread-safe.
 * <p>
 * A chain of waits is sent from process to process, and each process adds the waits of
 * its callers. A chain that returns to one of its waits is a circle. It counts as a
 * deadlock only if the chain returned within {@link HoldingWait#SHORTEST}. Each wait had
 * already lasted that long when it was added, so all of them waited at the same time.
 */
final class DeadlockDetector {

	private static final Log logger = LogFactory.getLog(DeadlockDetector.class);

	private static final Duration PAUSE = Duration.ofMillis(500);

	/**
	 * The maximum number of chains that begin at once, of remembered chains, and of waits
	 * in a chain.
	 */
	private static final int MOST = 64;

	private static final String CHAIN = "chain";

	private static final String CIRCLE = "circle";

	private final OpenLocks open;

	private final WatchedTimer timer;

	private final EngineStore store;

	private final OwnerTokens tokens;

	private final AtomicBoolean looking = new AtomicBoolean();

	/**
	 * Recent chains that led to this process. They are ignored if they arrive again,
	 * because each server of a quorum may deliver the same chain.
	 */
	private final Set<String> received = ConcurrentHashMap.newKeySet();

	DeadlockDetector(OpenLocks open, WatchedTimer timer, EngineStore store, OwnerTokens tokens) {
		this.open = open;
		this.timer = timer;
		this.store = store;
		this.tokens = tokens;
	}

	/**
	 * Start checking, because a caller waits while it holds other locks.
	 */
	void watch() {
		if (this.looking.compareAndSet(false, true)) {
			this.timer.schedule(this::look, PAUSE);
		}
	}

	/**
	 * Begin a chain for each lock with a waiter that is due for a check. One chain serves
	 * all waiters for that lock.
	 */
	private void look() {
		this.looking.set(false);
		List<HoldingWait> waiters = this.open.holdingWaits();
		if (!waiters.isEmpty()) {
			// Schedule the next check before anything that could fail.
			watch();
		}
		Set<String> begun = new HashSet<>();
		for (HoldingWait waiter : waiters) {
			Snapshot wait = (begun.size() < MOST && waiter.isDue()) ? waiter.now("", this.tokens) : null;
			if (wait != null && begun.add(wait.behind())) {
				follow(List.of(wait), false);
			}
		}
	}

	/**
	 * Receive a message that a process has {@linkplain #publish published}.
	 */
	void receive(String message) {
		List<String> lines = message.lines().toList();
		List<Snapshot> waits = lines.stream().skip(1).map(Snapshot::read).toList();
		if (lines.get(0).equals(CIRCLE)) {
			report(waits);
		}
		else if (lines.get(0).equals(CHAIN)) {
			String holder = OwnerTokens.holder(waits.get(waits.size() - 1).owner());
			if (holder.equals(this.tokens.instance()) && isNew(message)) {
				follow(waits, true);
			}
		}
	}

	private boolean isNew(String message) {
		if (this.received.size() >= MOST) {
			this.received.clear();
		}
		return this.received.add(message);
	}

	/**
	 * Add waits of this process's callers to a chain, until it leads to another process.
	 * @param received whether the chain arrived as a message. If so, and if this process
	 * no longer holds the lock, the chain ends here
	 */
	private void follow(List<Snapshot> chain, boolean received) {
		Snapshot last = chain.get(chain.size() - 1);
		Hold hold = this.open.heldAlone(last.lock(), last.owner());
		if (hold == null) {
			if (!received) {
				publish(CHAIN, chain);
			}
			return;
		}
		// Asynchronous work may wait for several locks at once.
		for (HoldingWait waiter : this.open.holdingWaits()) {
			Snapshot next = waiter.holds(hold) ? waiter.now(last.lock(), this.tokens) : null;
			if (next != null) {
				add(chain, next);
			}
		}
	}

	/**
	 * Add a wait to a chain. If the chain already contains the wait, the waits form a
	 * circle. Report the circle if the chain returned in time and the wait is still for
	 * the same holder.
	 */
	private void add(List<Snapshot> chain, Snapshot next) {
		List<Snapshot> longer = Stream.concat(chain.stream(), Stream.of(next)).toList();
		for (Snapshot earlier : chain) {
			if (earlier.id().equals(next.id())) {
				long took = next.seenAt() - earlier.seenAt() + this.timer.jumpedSince(earlier.seenAt());
				if (took <= HoldingWait.SHORTEST.toNanos() && earlier.behind().equals(next.behind())) {
					List<Snapshot> circle = longer.subList(chain.indexOf(earlier) + 1, longer.size());
					publish(CIRCLE, circle);
					report(circle);
				}
				return;
			}
		}
		if (chain.size() < MOST) {
			follow(longer, false);
		}
	}

	/**
	 * Report a circle to this process's callers that are part of it, and log it if one of
	 * them did not know it.
	 */
	private void report(List<Snapshot> found) {
		List<Snapshot> circle = new ArrayList<>(found);
		// Begin with the same wait in all processes, so that their descriptions are
		// equal.
		Collections.rotate(circle, -found.indexOf(Collections.min(found, Comparator.comparing(Snapshot::id))));
		String since = circle.stream().map(Snapshot::since).max(Comparator.naturalOrder()).orElseThrow();
		String description = ("Deadlock of %s callers since %s: %s. Acquire these locks together with LockTarget.allOf,"
				+ " or everywhere in the same order")
			.formatted(circle.size(), since, circle.stream().map(Snapshot::describe).collect(Collectors.joining("; ")));
		boolean news = false;
		for (HoldingWait waiter : this.open.holdingWaits()) {
			for (Snapshot wait : circle) {
				news |= waiter.found(wait, description);
			}
		}
		if (news) {
			logger.warn(description);
		}
	}

	private void publish(String kind, List<Snapshot> waits) {
		this.store.publish(kind + '\n' + waits.stream().map(Snapshot::text).collect(Collectors.joining("\n")));
	}

}
