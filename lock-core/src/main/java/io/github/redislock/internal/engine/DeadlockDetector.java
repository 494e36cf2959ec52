package io.github.redislock.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import io.github.redislock.internal.engine.HoldingWait.Key;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Detects deadlocks: callers of this process that wait for each other in a circle.
 * Thread-safe.
 * <p>
 * A search reads each wait and each lock once, and never runs on the timer's thread. It
 * follows one wait for each held lock, the oldest, although asynchronous work may wait
 * for several locks at once. Each wait that it finds had begun before the search and
 * still lasts, and so do the holds of its caller. So all of a circle existed when the
 * search began.
 */
final class DeadlockDetector {

	private static final Log logger = LogFactory.getLog(DeadlockDetector.class);

	/** Shorter waits are not searched. */
	private static final Duration SHORTEST = Duration.ofSeconds(2);

	private static final Duration PAUSE = Duration.ofMillis(500);

	/**
	 * The maximum number of locks that one search reads, beginning with those of the
	 * caller that has waited longest. This limits a search to about a millisecond.
	 */
	private static final int MOST_LOCKS = 2_000;

	private final JumpDetectingTimer timer;

	private final Executor searches;

	/** The waits of callers that hold locks, in the order in which they began. */
	private final ConcurrentNavigableMap<Long, HoldingWait> waits = new ConcurrentSkipListMap<>();

	private final AtomicLong begun = new AtomicLong();

	private final AtomicBoolean scheduled = new AtomicBoolean();

	/**
	 * Create a detector.
	 * @param searches runs the searches, on other threads than the timer's
	 */
	DeadlockDetector(JumpDetectingTimer timer, Executor searches) {
		this.timer = timer;
		this.searches = searches;
	}

	/**
	 * Include a caller that waits while it holds other locks.
	 * @param outcome completes when the wait is over
	 */
	void watch(HoldingWait wait, CompletableFuture<?> outcome) {
		long number = this.begun.incrementAndGet();
		this.waits.put(number, wait);
		outcome.whenComplete((ended, failure) -> this.waits.remove(number));
		schedule();
	}

	private void schedule() {
		if (!this.waits.isEmpty() && this.scheduled.compareAndSet(false, true)) {
			this.timer.schedule(this::look, PAUSE);
		}
	}

	private void look() {
		this.scheduled.set(false);
		schedule();
		long now = this.timer.nanoTime();
		if (this.waits.values().stream().limit(1).anyMatch((oldest) -> isDue(oldest, now))) {
			this.searches.execute(this::search);
		}
	}

	private static boolean isDue(HoldingWait wait, long now) {
		return now - wait.startedAt() >= SHORTEST.toNanos();
	}

	private void search() {
		long now = this.timer.nanoTime();
		Map<Key, Link> links = new LinkedHashMap<>();
		int count = 0;
		for (HoldingWait wait : this.waits.values()) {
			if (!isDue(wait, now) || count >= MOST_LOCKS) {
				break;
			}
			Key behind = wait.behind();
			if (behind != null) {
				List<Key> held = wait.held();
				held.forEach((lock) -> links.putIfAbsent(lock, new Link(wait, lock, behind)));
				count += held.size();
			}
		}
		List.copyOf(links.keySet()).forEach((lock) -> follow(lock, links));
	}

	/**
	 * Follow the chain of waits that begins with the holder of a lock, and remove its
	 * links. A chain that comes back to one of its locks contains a circle.
	 */
	private static void follow(Key first, Map<Key, Link> links) {
		List<Link> chain = new ArrayList<>();
		Key last = first;
		for (Link link = links.remove(last); link != null; link = links.remove(last)) {
			chain.add(link);
			last = link.behind();
		}
		Key end = last;
		List<Link> circle = chain.stream().dropWhile((link) -> !link.held().equals(end)).toList();
		if (!circle.isEmpty()) {
			report(circle);
		}
	}

	/**
	 * Report a circle to its callers, and log it, unless all of them know it.
	 */
	private static void report(List<Link> circle) {
		if (circle.stream().allMatch((link) -> link.caller().knows(link.behind()))) {
			return;
		}
		Instant since = circle.stream()
			.map((link) -> link.caller().since())
			.max(Comparator.naturalOrder())
			.orElseThrow();
		String callers = circle.stream().map(Link::describe).collect(Collectors.joining("; "));
		String advice = (circle.size() == 1) ? "This caller waits for its own lock: release that lock first"
				: "Acquire these locks together with LockTarget.allOf, or everywhere in the same order";
		String description = "Deadlock since %s: %s. %s".formatted(since.truncatedTo(ChronoUnit.SECONDS), callers,
				advice);
		circle.forEach((link) -> link.caller().found(link.behind(), description));
		logger.warn(description);
	}

	/**
	 * A caller that waits, with one of the locks that it holds.
	 *
	 * @param behind the lock for which the caller waits
	 */
	private record Link(HoldingWait caller, Key held, Key behind) {

		String describe() {
			return "%s holds '%s' and waits for '%s'".formatted(this.caller.name(), this.held.lock(),
					this.behind.lock());
		}

	}

}
