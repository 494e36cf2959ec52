package io.github.redislock.memory;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * The lock of one name: who has it, alone or with others, and who waits for it.
 */
final class MemoryLock {

	/** A release that comes once more does so soon. */
	private static final int MOST_RELEASES_REMEMBERED = 64;

	private final String name;

	private final StoreClock clock;

	private final Waiters waiters;

	/** Who has the lock alone, or had it last if nobody else has had it since. */
	private @Nullable Place alone;

	/** Who share it, by owner. */
	private final Map<String, Place> shared = new LinkedHashMap<>();

	/** The requests that let go last. */
	private final Deque<String> released = new ArrayDeque<>();

	MemoryLock(String name, StoreClock clock) {
		this.name = name;
		this.clock = clock;
		this.waiters = new Waiters(clock);
	}

	String name() {
		return this.name;
	}

	Waiters waiters() {
		return this.waiters;
	}

	/**
	 * Return all who have the lock: none, one, or several who share it.
	 */
	Collection<Place> holders() {
		Place single = alone();
		if (single != null) {
			return List.of(single);
		}
		this.shared.values().removeIf((place) -> this.clock.isOver(place.end()));
		return this.shared.values();
	}

	boolean isHeld() {
		return !holders().isEmpty();
	}

	/**
	 * Return what an owner has of the lock, in whatever way.
	 */
	@Nullable Place of(String owner) {
		return holders().stream().filter((place) -> place.owner().equals(owner)).findFirst().orElse(null);
	}

	/**
	 * Return what the asker has already of what he asks for. Who shares the lock has not
	 * got it alone, unless the question is the one by which he got it and let others read
	 * since: then it comes late.
	 */
	@Nullable Place granted(AcquireRequest request) {
		Place own = of(request.owner());
		boolean enough = own != null
				&& (request.target().isShared() || alone() != null || own.requestId().equals(request.requestId()));
		return enough ? own : null;
	}

	/**
	 * Return whether the asker fits in, whoever waits.
	 */
	boolean hasRoomFor(AcquireRequest request) {
		int holders = holders().size();
		return holders == 0
				|| (request.target().isShared() && alone() == null && holders < request.target().maxHolders());
	}

	/**
	 * Give the lock to a request: what its owner had alone before stays his earlier
	 * request's, and is never shortened.
	 */
	void give(AcquireRequest request, long token, @Nullable Long end) {
		this.waiters.leave(request.requestId());
		Place own = of(request.owner());
		long lastToken = (own != null && own.token() == token) ? own.lastToken() : token + request.tokens() - 1;
		Place given = (own != null)
				? new Place(own.owner(), own.requestId(), token, lastToken, StoreClock.prolonged(own.end(), end))
				: new Place(request.owner(), request.requestId(), token, lastToken, end);
		if (request.target().isShared()) {
			this.alone = null;
			this.shared.put(given.owner(), given);
		}
		else {
			this.shared.clear();
			this.alone = given;
		}
	}

	/**
	 * Change the end of what somebody has.
	 */
	void change(Place present, @Nullable Long end) {
		if (isAlone(present)) {
			this.alone = present.until(end);
		}
		else {
			this.shared.put(present.owner(), present.until(end));
		}
	}

	/**
	 * Let others read beside whoever had the lock alone.
	 */
	void share(Place present, @Nullable Long end) {
		this.alone = null;
		this.shared.put(present.owner(), present.until(end));
	}

	/**
	 * Let go of what a request was granted.
	 * @param keepFor how long it stays closed all the same
	 * @return whether it was the owner's, or had been and was not taken from it
	 */
	boolean letGo(AcquireRequest granted, Duration keepFor) {
		Place own = of(granted.owner());
		if (own == null) {
			Place last = this.alone;
			return (last != null && last.owner().equals(granted.owner()))
					|| this.released.contains(granted.requestId());
		}
		remember(granted.requestId());
		if (keepFor.isZero() && !isAlone(own)) {
			this.shared.remove(own.owner());
		}
		else {
			change(own, this.clock.end(keepFor));
		}
		return true;
	}

	/**
	 * Take the lock from all who have it.
	 */
	void takeAway() {
		this.alone = null;
		this.shared.clear();
		this.released.clear();
	}

	/**
	 * Return whether nobody has the lock or waits for it.
	 */
	boolean isIdle() {
		return !isHeld() && this.waiters.first() == null;
	}

	/**
	 * Return what a caller is told to whom the lock is refused: who keeps it longest from
	 * the one who wants it alone, and from who would share it, until a place is free.
	 */
	LockState refusal(LockTarget asked) {
		Collection<Place> holders = holders();
		return state(
				asked.isShared() ? Collections.min(holders, Place.BY_END) : Collections.max(holders, Place.BY_END));
	}

	/**
	 * Return what is known of whoever has the lock longest.
	 */
	@Nullable LockState state() {
		Collection<Place> holders = holders();
		return holders.isEmpty() ? null : state(Collections.max(holders, Place.BY_END));
	}

	/**
	 * Return that the lock is kept for somebody who waits longest.
	 */
	LockState keptFor(Place next) {
		return new LockState(this.name, next.owner(), this.clock.until(next.end()), next.token(), this.waiters.size(),
				false);
	}

	private LockState state(Place holder) {
		return new LockState(this.name, holder.owner(), this.clock.until(holder.end()), holder.token(),
				holder.lastToken(), (long) this.waiters.size(), true, holders().size());
	}

	private @Nullable Place alone() {
		Place last = this.alone;
		return (last != null && !this.clock.isOver(last.end())) ? last : null;
	}

	private boolean isAlone(Place present) {
		Place single = alone();
		return single != null && single.owner().equals(present.owner());
	}

	private void remember(String requestId) {
		if (this.released.contains(requestId)) {
			return;
		}
		this.released.addLast(requestId);
		if (this.released.size() > MOST_RELEASES_REMEMBERED) {
			this.released.removeFirst();
		}
	}

}
