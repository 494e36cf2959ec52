package io.github.redislock.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.LockState;
import io.github.redislock.support.OwnerTokens;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Detects deadlocks: callers, in this process and others, that wait for each other in a
 * circle. Thread-safe.
 * <p>
 * A chain of waits is sent from process to process, and each process adds the waits of
 * its callers. A chain that returns to one of its waits is a circle. It counts as a
 * deadlock only if every wait in it has lasted longer than the chain took to return,
 * because then all of them waited at the same time.
 */
final class DeadlockDetector {

	private static final Log logger = LogFactory.getLog(DeadlockDetector.class);

	private static final Duration SHORTEST_PAUSE = Duration.ofMillis(500);

	/** The maximum number of chains that begin at once. */
	private static final int MOST_CHAINS = 64;

	/** The maximum number of waits in one chain. */
	private static final int LONGEST_CHAIN = 64;

	/**
	 * How many messages to remember, because each server of a quorum may deliver the same
	 * one.
	 */
	private static final int REMEMBERED = 64;

	private static final String CHAIN = "chain";

	private static final String CIRCLE = "circle";

	private final OpenLocks open;

	private final WatchedTimer timer;

	private final EngineStore store;

	private final OwnerTokens tokens;

	private final AtomicBoolean looking = new AtomicBoolean();

	/** The latest messages. Guarded by its own monitor. */
	private final Deque<String> heard = new ArrayDeque<>();

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
			this.timer.schedule(this::look, HoldingWait.SHORTEST);
		}
	}

	private void look() {
		Duration pause = HoldingWait.SHORTEST;
		try {
			pause = begin(this.timer.nanoTime());
		}
		finally {
			if (this.open.holdingWaits().findAny().isPresent()) {
				this.timer.schedule(this::look, pause);
			}
			else {
				this.looking.set(false);
				// A new wait may have begun in the meantime.
				this.open.holdingWaits().findAny().ifPresent((late) -> watch());
			}
		}
	}

	/**
	 * Begin a chain for each lock for which a caller has waited too long. One chain
	 * serves all waiters for that lock.
	 * @return the time until the next check
	 */
	private Duration begin(long now) {
		long pause = HoldingWait.SHORTEST.toNanos();
		Set<String> begun = new HashSet<>();
		for (Acquisition<?> caller : this.open.holdingWaits().toList()) {
			HoldingWait holding = Objects.requireNonNull(caller.holding());
			long rest = holding.nextLookAt() - now;
			if (rest > 0) {
				pause = Math.min(pause, rest);
				continue;
			}
			Wait wait = (begun.size() < MOST_CHAINS) ? wait(caller) : null;
			if (begun.size() < MOST_CHAINS) {
				holding.looked(now, caller.waited());
			}
			if (wait != null && begun.add(wait.owner() + ' ' + wait.lock())) {
				follow(List.of(wait), false);
			}
		}
		return Duration.ofNanos(Math.max(pause, SHORTEST_PAUSE.toNanos()));
	}

	/**
	 * Receive a message that a process has {@linkplain #tell published}.
	 */
	void told(String message) {
		String[] lines = message.split("\n");
		String[] head = lines[0].split(" ");
		List<Wait> waits = Arrays.stream(lines).skip(1).map(Wait::read).toList();
		if (head[0].equals(CIRCLE)) {
			report(waits, Instant.ofEpochMilli(Long.parseLong(head[1])));
		}
		else if (head[0].equals(CHAIN) && isOurs(waits.get(waits.size() - 1)) && isNew(message)) {
			follow(waits, true);
		}
	}

	private boolean isNew(String message) {
		synchronized (this.heard) {
			if (this.heard.contains(message)) {
				return false;
			}
			if (this.heard.size() == REMEMBERED) {
				this.heard.remove();
			}
			return this.heard.add(message);
		}
	}

	/**
	 * Add waits of this process's callers to a chain, until it leads to another process.
	 * @param addressed whether this process received the chain; if so, and it has
	 * released the lock, it does not send the chain to others
	 */
	private void follow(List<Wait> chain, boolean addressed) {
		Wait last = chain.get(chain.size() - 1);
		Hold hold = isOurs(last) ? this.open.heldAlone(last.lock(), last.owner()) : null;
		if (hold != null) {
			// Asynchronous work may wait for several locks at once.
			this.open.holdingWaits().filter((caller) -> caller.holds(hold)).toList().forEach((caller) -> {
				Wait next = wait(caller);
				if (next != null) {
					follow(chain, next);
				}
			});
		}
		else if (!addressed) {
			tell(CHAIN, chain);
		}
	}

	private void follow(List<Wait> chain, Wait next) {
		for (Wait earlier : chain) {
			if (earlier.id().equals(next.id())) {
				close(chain.subList(chain.indexOf(earlier), chain.size()), next);
				return;
			}
		}
		if (chain.size() < LONGEST_CHAIN) {
			follow(Stream.concat(chain.stream(), Stream.of(next)).toList(), false);
		}
	}

	/**
	 * Report a circle if the chain returned in time and its first wait has not changed.
	 * @param again the current state of the first wait
	 */
	private void close(List<Wait> circle, Wait again) {
		Wait first = circle.get(0);
		long took = again.seenAt() - first.seenAt() + this.timer.jumpedSince(first.seenAt());
		if (took > HoldingWait.SHORTEST.toNanos() || !first.lock().equals(again.lock())
				|| !first.owner().equals(again.owner())) {
			return;
		}
		Instant since = this.timer.now()
			.minus(circle.stream().map(Wait::waited).min(Comparator.naturalOrder()).orElseThrow());
		tell(CIRCLE + ' ' + since.toEpochMilli(), circle);
		report(circle, since);
	}

	/**
	 * Report a circle to this process's callers that are part of it, and log it once.
	 */
	private void report(List<Wait> found, Instant since) {
		List<Wait> circle = new ArrayList<>(found);
		// Begin with the same wait in all processes.
		Wait first = Collections.min(found, Comparator.comparing(Wait::id));
		Collections.rotate(circle, -found.indexOf(first));
		String ids = circle.stream().map(Wait::id).collect(Collectors.joining(" "));
		String description = describe(circle, since);
		boolean news = false;
		for (Acquisition<?> caller : this.open.holdingWaits().toList()) {
			HoldingWait holding = Objects.requireNonNull(caller.holding());
			String id = holding.id();
			LockState holder = (id != null && ids.contains(id)) ? this.open.behind(caller) : null;
			if (holder != null) {
				news |= holding.found(ids, description, holder);
			}
		}
		if (news) {
			logger.warn(description);
		}
	}

	private static String describe(List<Wait> circle, Instant since) {
		String waits = IntStream.range(0, circle.size()).mapToObj((index) -> {
			Wait wait = circle.get(index);
			String held = circle.get((index > 0) ? index - 1 : circle.size() - 1).lock();
			return "%s of '%s' holds '%s' and waits for '%s'".formatted(
					wait.thread().isEmpty() ? "asynchronous work" : "thread '%s'".formatted(wait.thread()),
					wait.instance(), held, wait.lock());
		}).collect(Collectors.joining("; "));
		return ("Deadlock of %d callers since %s: %s. Acquire these locks together with LockTarget.allOf, or"
				+ " everywhere in the same order")
			.formatted(circle.size(), since.truncatedTo(ChronoUnit.SECONDS), waits);
	}

	private void tell(String kind, List<Wait> waits) {
		this.store.tell(kind + '\n' + waits.stream().map(Wait::text).collect(Collectors.joining("\n")));
	}

	private boolean isOurs(Wait wait) {
		return OwnerTokens.holder(wait.owner()).equals(this.tokens.instance());
	}

	/**
	 * Return the current state of a wait.
	 * @return {@code null} if the wait does not count
	 */
	private @Nullable Wait wait(Acquisition<?> caller) {
		LockState holder = this.open.behind(caller);
		HoldingWait holding = caller.holding();
		if (holder == null || !holder.held() || holding == null
				|| caller.waited().compareTo(HoldingWait.SHORTEST) < 0) {
			return null;
		}
		return new Wait(holding.id(this.tokens::nextRandom), this.timer.nanoTime(), this.tokens.instance(),
				caller.thread(), caller.waited(), holder.name(), holder.shortOwner());
	}

	/**
	 * A caller's wait, as seen by its process.
	 *
	 * @param seenAt the time stamp of that process
	 * @param thread the name of the thread; empty if the work belongs to no thread
	 * @param owner enough of the holder's owner token to recognize it
	 */
	private record Wait(String id, long seenAt, String instance, String thread, Duration waited, String lock,
			String owner) {

		static Wait read(String line) {
			String[] fields = line.split("\t");
			return new Wait(fields[0], Long.parseLong(fields[1]), fields[2], fields[3],
					Duration.ofMillis(Long.parseLong(fields[4])), fields[5], fields[6]);
		}

		String text() {
			return String.join("\t", this.id, Long.toString(this.seenAt), this.instance, this.thread,
					Long.toString(this.waited.toMillis()), this.lock, this.owner);
		}

	}

}
