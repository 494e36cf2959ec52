package io.github.redislock.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.github.redislock.FencingTokens;
import io.github.redislock.LockState;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import org.jspecify.annotations.Nullable;

/**
 * Gives locks to those whose turn it is, with fencing tokens that grow, and gathers what
 * is to be told of it.
 */
final class Turns {

	/** For so long, who was told that it is its turn keeps others from asking again. */
	private static final Duration TURN = Duration.ofMillis(900);

	private final StoreClock clock;

	private long lastToken;

	private List<Consumer<HandOverListener>> news = new ArrayList<>();

	Turns(StoreClock clock) {
		this.clock = clock;
	}

	/**
	 * Let in those who have waited longest, one after the other as long as they fit, or
	 * tell the next one to ask.
	 */
	void handOver(MemoryLock lock) {
		AcquireRequest next = lock.waiters().first();
		while (next != null && lock.hasRoomFor(next)) {
			if (Duration.ZERO.equals(next.claim())) {
				tell(next);
				return;
			}
			handOver(lock, next);
			next = lock.waiters().first();
		}
	}

	/**
	 * Let in those who wait longer than an asker, and see whether it is his turn then.
	 * @return who keeps the lock from the asker, or {@code null} if he may have it
	 */
	@Nullable LockState inTheWay(MemoryLock lock, AcquireRequest asker) {
		if (lock.granted(asker) != null) {
			return null;
		}
		AcquireRequest next = lock.waiters().first();
		while (next != null && !next.requestId().equals(asker.requestId()) && lock.hasRoomFor(next)) {
			if (Duration.ZERO.equals(next.claim())) {
				tell(next);
				long token = upcomingToken();
				return lock.keptFor(new Place(next.owner(), next.requestId(), token, token, this.clock.end(TURN)));
			}
			handOver(lock, next);
			next = lock.waiters().first();
		}
		boolean first = next == null || next.requestId().equals(asker.requestId());
		return (first && lock.hasRoomFor(asker)) ? null : lock.refusal(asker.target());
	}

	/**
	 * Return the first of the tokens that a request reserves.
	 */
	long tokensFor(AcquireRequest request) {
		long first = upcomingToken();
		this.lastToken = first + request.tokens() - 1;
		return first;
	}

	/**
	 * Tell those who held a lock that it was taken from them.
	 */
	void tellForce(MemoryLock lock) {
		this.news.add((told) -> told.takenByForce(lock.name()));
	}

	/**
	 * Return what is to be told, once.
	 */
	List<Consumer<HandOverListener>> takeNews() {
		if (this.news.isEmpty()) {
			return List.of();
		}
		List<Consumer<HandOverListener>> taken = this.news;
		this.news = new ArrayList<>();
		return taken;
	}

	private void handOver(MemoryLock lock, AcquireRequest next) {
		// Another request of the same owner may have got a place for both.
		Place own = lock.granted(next);
		long token = (own != null) ? own.token() : tokensFor(next);
		lock.give(next, token, this.clock.end(next.claim()));
		HandOver handOver = new HandOver(next.requestId(), next.askedAt(), token);
		this.news.add((told) -> told.handedOver(handOver));
	}

	private void tell(AcquireRequest next) {
		this.news.add((told) -> told.turnHasCome(next.requestId()));
	}

	private long upcomingToken() {
		return FencingTokens.next(this.clock.now(), this.lastToken);
	}

}
