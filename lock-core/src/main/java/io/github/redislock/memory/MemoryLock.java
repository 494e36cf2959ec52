package io.github.redislock.memory;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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

	/** The current holders and some of the last ones, by owner. */
	private final Map<String, Place> places = new LinkedHashMap<>();

	/** Whether the places are shared. Otherwise, at most one exclusive place is kept. */
	private boolean shared;

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
		return this.places.values().stream().filter((place) -> !this.clock.isOver(place.end())).toList();
	}

	boolean isHeld() {
		return !holders().isEmpty();
	}

	@Nullable Place of(String owner) {
		Place place = this.places.get(owner);
		return (place != null && !this.clock.isOver(place.end())) ? place : null;
	}

	/**
	 * Return the owner's current place if it satisfies the request. A shared place does
	 * not satisfy an exclusive request.
	 */
	@Nullable Place granted(AcquireRequest request) {
		return (request.target().isShared() || !this.shared) ? of(request.owner()) : null;
	}

	/**
	 * Return whether there is room for the requester, regardless of waiters.
	 */
	boolean hasRoomFor(AcquireRequest request) {
		int holders = holders().size();
		return holders == 0 || (request.target().isShared() && this.shared && holders < request.target().maxHolders());
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
		boolean joins = this.shared && request.target().isShared();
		this.places.values().removeIf((place) -> !joins || this.clock.isOver(place.end()));
		this.shared = request.target().isShared();
		this.places.put(given.owner(), given);
	}

	void change(Place present, @Nullable Long end) {
		this.places.put(present.owner(), present.until(end));
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
			return (!this.shared && this.places.containsKey(granted.owner()))
					|| this.released.contains(granted.requestId());
		}
		remember(granted.requestId());
		if (keepFor.isZero() && this.shared) {
			this.places.remove(own.owner());
		}
		else {
			change(own, this.clock.end(keepFor));
		}
		return true;
	}

	void takeAway() {
		this.places.clear();
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

	private void remember(String requestId) {
		if (this.released.add(requestId) && this.released.size() > MOST_RELEASES_REMEMBERED) {
			this.released.remove(this.released.iterator().next());
		}
	}

}
