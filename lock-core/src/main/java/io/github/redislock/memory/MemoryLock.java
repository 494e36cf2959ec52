package io.github.redislock.memory;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * The state of one lock: its holders, exclusive or shared, and its waiters.
 */
final class MemoryLock {

	/**
	 * Few releases are remembered, because a repeated release arrives soon after the
	 * first one.
	 */
	private static final int MOST_RELEASES_REMEMBERED = 64;

	private final String name;

	private final StoreClock clock;

	private final Waiters waiters;

	/** The current or last exclusive holder. */
	private @Nullable Place alone;

	/** The shared holders, by owner. */
	private final Map<String, Place> shared = new LinkedHashMap<>();

	/** The ids of the requests that were released last. */
	private final Set<String> released = new LinkedHashSet<>();

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
	 * Return all current holders: none, one, or several that share the lock.
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

	@Nullable Place of(String owner) {
		return holders().stream().filter((place) -> place.owner().equals(owner)).findFirst().orElse(null);
	}

	/**
	 * Return the owner's current place if it satisfies the request. A shared place does
	 * not satisfy an exclusive request.
	 */
	@Nullable Place granted(AcquireRequest request) {
		return (request.target().isShared() || alone() != null) ? of(request.owner()) : null;
	}

	/**
	 * Return whether there is room for the requester, regardless of waiters.
	 */
	boolean hasRoomFor(AcquireRequest request) {
		int holders = holders().size();
		return holders == 0
				|| (request.target().isShared() && alone() == null && holders < request.target().maxHolders());
	}

	/**
	 * Give the lock to a request. If its owner already has a place, the place keeps its
	 * request id, and its lease is not shortened unless it was endless.
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

	void change(Place present, @Nullable Long end) {
		if (isAlone(present)) {
			this.alone = present.until(end);
		}
		else {
			this.shared.put(present.owner(), present.until(end));
		}
	}

	/**
	 * Release the place of a request.
	 * @param keepFor how much longer the lock stays locked
	 * @return whether the owner had the lock, had already released it, or was the last
	 * exclusive holder
	 */
	boolean release(AcquireRequest granted, Duration keepFor) {
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

	void takeAway() {
		this.alone = null;
		this.shared.clear();
		this.released.clear();
	}

	boolean isIdle() {
		return !isHeld() && this.waiters.first() == null;
	}

	/**
	 * Return the state for a refused caller. For an exclusive request, this is the holder
	 * whose lease ends last; for a shared one, the holder whose place becomes free first.
	 */
	LockState refusal(LockTarget asked) {
		Collection<Place> holders = holders();
		return state(
				asked.isShared() ? Collections.min(holders, Place.BY_END) : Collections.max(holders, Place.BY_END));
	}

	/**
	 * Return the state of the holder whose lease ends last.
	 */
	@Nullable LockState state() {
		Collection<Place> holders = holders();
		return holders.isEmpty() ? null : state(Collections.max(holders, Place.BY_END));
	}

	/**
	 * Return the state of a lock that is kept for the first waiter.
	 */
	LockState keptFor(Place next) {
		return LockState.of(this.name, next.owner(), this.clock.until(next.end()), next.token(), null,
				(long) this.waiters.size(), false, 1);
	}

	private LockState state(Place holder) {
		return LockState.of(this.name, holder.owner(), this.clock.until(holder.end()), holder.token(),
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
		if (this.released.add(requestId) && this.released.size() > MOST_RELEASES_REMEMBERED) {
			this.released.remove(this.released.iterator().next());
		}
	}

}
