package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.StreamSupport;

import io.github.redislock.LocalLocks;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.leadership.Leadership;
import io.github.redislock.leadership.LockLeadership;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The results of the endpoint. Owner tokens are shortened, because a complete token would
 * let its reader release the lock.
 */
final class LockDescriptors {

	private LockDescriptors() {
	}

	/**
	 * Return the last of the holder's reserved fencing tokens, or {@code null} if the
	 * token of the hold is known or the last one is unknown.
	 */
	static @Nullable Long lastOfSeveral(LockState holder) {
		Long last = holder.lastFencingToken();
		return (last != null && !last.equals(holder.fencingToken())) ? last : null;
	}

	/**
	 * Return all names of several locks, because their common name shows at most eight of
	 * them. For one lock, return {@code null}.
	 */
	private static @Nullable List<String> each(LockTarget target) {
		return target.isSeveral() ? target.names() : null;
	}

	/**
	 * Return a duration in whole milliseconds, or {@code null} if it never ends.
	 */
	private static @Nullable Duration millis(Duration duration) {
		return duration.equals(ChronoUnit.FOREVER.getDuration()) ? null : duration.truncatedTo(ChronoUnit.MILLIS);
	}

	/**
	 * The locks that one instance holds or waits for.
	 *
	 * @param instance the name under which other instances see this instance
	 * @param held the locks that this instance holds, longest hold first
	 * @param waiting the locks for which its callers wait, longest wait first
	 * @param refusedAtOnce how many callers this instance has refused at once since its
	 * start, because too many were waiting or their turn would have come too late
	 * @param roles the roles of the {@link Leadership} beans, or {@code null} if there
	 * are none
	 */
	record LocksOfInstance(String instance, List<HeldLock> held, List<WantedLock> waiting, long refusedAtOnce,
			@Nullable List<Role> roles) implements OperationResponseBody {

		static LocksOfInstance of(LocalLocks locks, Iterable<Leadership> leaderships) {
			Instant now = Instant.now();
			List<Role> roles = StreamSupport.stream(leaderships.spliterator(), false)
				.map((leadership) -> Role.of(leadership, locks))
				.sorted(Comparator.comparing(Role::role))
				.toList();
			return new LocksOfInstance(locks.instance(),
					locks.held().stream().map((held) -> HeldLock.of(held, now)).toList(),
					locks.waiting().stream().map(WantedLock::of).toList(), locks.refusedAtOnce(),
					roles.isEmpty() ? null : roles);
		}

	}

	/**
	 * A role that at most one instance has at a time.
	 *
	 * @param role the name of the role
	 * @param leader whether this instance is the leader
	 * @param term the leader's fencing token, or {@code null} if unknown
	 * @param since when the role was granted, by the store's clock, or {@code null} if
	 * unknown
	 * @param holder the leader as far as this instance knows, or {@code null} if unknown
	 */
	record Role(String role, boolean leader, @Nullable Long term, @Nullable Instant since, @Nullable String holder) {

		static Role of(Leadership leadership, LocalLocks locks) {
			OptionalLong own = leadership.term();
			if (own.isPresent()) {
				return of(leadership.role(), true, own.getAsLong(), locks.instance());
			}
			LockState other = locks.waiting()
				.stream()
				.filter((wanted) -> wanted.target().name().equals(LockLeadership.LOCK_PREFIX + leadership.role()))
				.map(LocalLocks.Waiting::behind)
				.filter(Objects::nonNull)
				.findFirst()
				.orElse(null);
			return (other != null) ? of(leadership.role(), false, other.fencingToken(), other.holder())
					: of(leadership.role(), false, null, null);
		}

		private static Role of(String role, boolean leader, @Nullable Long term, @Nullable String holder) {
			Instant since = (term != null) ? Instant.EPOCH.plus(term, ChronoUnit.MICROS).truncatedTo(ChronoUnit.MILLIS)
					: null;
			return new Role(role, leader, term, since, holder);
		}

	}

	/**
	 * A lock that this instance holds.
	 *
	 * @param name the lock's name, or up to eight names if several locks are held
	 * together
	 * @param names all names if several locks are held together, or {@code null} for one
	 * lock
	 * @param mode {@code exclusive}, {@code read} or {@code permit}
	 * @param permits the number of permits, or {@code null} if the lock is not shared by
	 * permits
	 * @param owner the beginning of the owner token
	 * @param fencingToken the token of this hold
	 * @param since when the hold began, by this instance's clock
	 * @param remaining how long the holder may rely on the lock without renewal, or
	 * {@code null} if it never expires
	 * @param renewed whether the lease will be renewed automatically. This is false, for
	 * example, if automatic renewal is off, if the lock never expires, if no caller is
	 * left to release it, or if the lease already lasts as long as the lock may be held
	 * @param renewalFailure why the last renewal was not confirmed, or {@code null} if
	 * there is no such failure
	 * @param entries how many times the lock was entered and not yet left
	 * @param waiting how many other callers of this instance wait for the lock
	 * @param thread the thread that acquired the lock, or {@code null} if the lock
	 * belongs to no thread, was detached, or has been used by other threads since
	 */
	record HeldLock(String name, @Nullable List<String> names, String mode, @Nullable Integer permits, String owner,
			long fencingToken, Instant since, @Nullable Duration remaining, boolean renewed,
			@Nullable String renewalFailure, int entries, int waiting, @Nullable String thread) {

		static HeldLock of(LocalLocks.Held held, Instant now) {
			LockTarget target = held.target();
			return new HeldLock(target.name(), each(target), target.mode(),
					target.mode().equals("permit") ? target.maxHolders() : null, held.owner(), held.fencingToken(),
					now.minus(held.held()).truncatedTo(ChronoUnit.MILLIS), millis(held.remaining()), held.renewed(),
					held.renewalFailure(), held.entries(), held.waiting(), held.thread());
		}

	}

	/**
	 * A lock for which callers of this instance wait.
	 *
	 * @param name the lock's name, or up to eight names if several locks are wanted
	 * together
	 * @param names all names if several locks are wanted together, or {@code null} for
	 * one lock
	 * @param mode {@code exclusive}, {@code read} or {@code permit}
	 * @param callers the number of waiting callers
	 * @param longest how long the first of these callers has been waiting
	 * @param behind the holder for which these callers wait, as far as this instance
	 * knows, or {@code null} if unknown
	 */
	record WantedLock(String name, @Nullable List<String> names, String mode, int callers, @Nullable Duration longest,
			@Nullable KnownLock behind) {

		static WantedLock of(LocalLocks.Waiting waiting) {
			LockState behind = waiting.behind();
			return new WantedLock(waiting.target().name(), each(waiting.target()), waiting.target().mode(),
					waiting.callers(), millis(waiting.longest()), (behind != null) ? KnownLock.of(behind) : null);
		}

	}

	/**
	 * What the store knows about a lock.
	 *
	 * @param name the lock's name
	 * @param held whether the lock is held; otherwise, it is free but kept for a waiter
	 * @param holder the instance that holds the lock, or for which it is kept
	 * @param owner the beginning of the owner token
	 * @param fencingToken the holder's fencing token, if it has one. If only the holding
	 * instance knows which of several tokens it uses, this is the first of them
	 * @param lastFencingToken the last of these tokens, or {@code null} if there is only
	 * one or if it is unknown
	 * @param since when the lock was granted, by the store's clock, or {@code null} if
	 * the lock is not held or its holder has no fencing token
	 * @param remaining how long the store keeps the lock without renewal, including the
	 * grace period, or {@code null} if it never expires
	 * @param holders the number of holders. If several share the lock, this describes one
	 * of them
	 * @param waiting the length of the store's queue, in which most callers of an
	 * instance count as one, or {@code null} if unknown
	 */
	record KnownLock(String name, boolean held, String holder, String owner, @Nullable Long fencingToken,
			@Nullable Long lastFencingToken, @Nullable Instant since, @Nullable Duration remaining, int holders,
			@Nullable Long waiting) implements OperationResponseBody {

		static KnownLock of(LockState state) {
			Instant since = state.since();
			return new KnownLock(state.name(), state.held(), state.holder(), state.shortOwner(), state.fencingToken(),
					lastOfSeveral(state), (since != null) ? since.truncatedTo(ChronoUnit.MILLIS) : null,
					millis(state.freeIn()), state.holders(), state.waiters());
		}

	}

	/**
	 * The result of a forced release.
	 *
	 * @param name the lock's name
	 * @param outcome how the forced release ended
	 * @param holder the holder that lost the lock, or that keeps it; {@code null} if the
	 * lock was free
	 */
	record ForcedRelease(String name, Outcome outcome, @Nullable KnownLock holder) implements OperationResponseBody {
	}

	/**
	 * How a forced release ended.
	 */
	enum Outcome {

		/** The lock was taken from its holder. */
		RELEASED,

		/** The lock is free, or has become free. */
		FREE,

		/**
		 * The holder is not the expected one, or has changed since the request began.
		 * This holder keeps the lock.
		 */
		HELD_BY_ANOTHER

	}

}
