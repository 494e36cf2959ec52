package io.github.redislock.internal.engine;

import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.redislock.LockState;
import io.github.redislock.internal.support.OwnerTokens;
import org.jspecify.annotations.Nullable;

/**
 * The deadlock detector's data about a caller that waits while it holds locks.
 * Thread-safe.
 */
final class HoldingWait {

	private final long startedAt;

	private final Instant since;

	private final HoldMonitor monitor;

	private final List<Hold> holds;

	private final Supplier<@Nullable LockState> holder;

	private volatile @Nullable Deadlock deadlock;

	/**
	 * Create a wait that begins now.
	 * @param monitor the waiting caller's monitor
	 * @param holds the caller's holds
	 * @param holder returns the holder for which the caller waits, if known
	 */
	HoldingWait(JumpDetectingTimer timer, HoldMonitor monitor, List<Hold> holds, Supplier<@Nullable LockState> holder) {
		this.startedAt = timer.nanoTime();
		this.since = timer.now();
		this.monitor = monitor;
		this.holds = holds;
		this.holder = holder;
	}

	long startedAt() {
		return this.startedAt;
	}

	Instant since() {
		return this.since;
	}

	String name() {
		String thread = this.monitor.threadName();
		return (thread != null) ? "thread '%s'".formatted(thread) : "asynchronous work";
	}

	/**
	 * Return the lock for which the caller waits, with its holder.
	 * @return {@code null} if no holder is known
	 */
	@Nullable Key behind() {
		return Key.of(this.holder.get());
	}

	/**
	 * Return the locks that only this caller can release. A lock with a caller's own
	 * owner token is not included, because other callers may use the same token.
	 */
	List<Key> held() {
		return this.holds.stream()
			.filter((hold) -> !hold.target().isShared() && hold.terms().settings().owner() == null
					&& hold.standing().isOpen())
			.filter((hold) -> hold.monitor().belongsOnlyTo(this.monitor))
			.flatMap(HoldingWait::keys)
			.toList();
	}

	/**
	 * Return the keys of a hold. Waiters for several locks at once may see their common
	 * name.
	 */
	private static Stream<Key> keys(Hold hold) {
		String owner = OwnerTokens.shortened(hold.owner());
		return Stream.concat(hold.target().names().stream(), Stream.of(hold.target().name()))
			.distinct()
			.map((name) -> new Key(name, owner));
	}

	/**
	 * Return whether a deadlock was found while the caller waited for this holder.
	 */
	boolean knows(Key behind) {
		Deadlock known = this.deadlock;
		return known != null && known.behind().equals(behind);
	}

	void found(Key behind, String description) {
		this.deadlock = new Deadlock(behind, description);
	}

	/**
	 * Return the description of the deadlock if the caller still waits for the same
	 * holder.
	 */
	@Nullable String deadlockWith(@Nullable LockState known) {
		Deadlock found = this.deadlock;
		return (found != null && found.behind().equals(Key.of(known))) ? found.description() : null;
	}

	/**
	 * A lock and its holder.
	 *
	 * @param owner enough of the owner token to recognize it
	 */
	record Key(String lock, String owner) {

		static @Nullable Key of(@Nullable LockState known) {
			return (known != null && known.held()) ? new Key(known.name(), known.shortOwner()) : null;
		}

	}

	private record Deadlock(Key behind, String description) {
	}

}
