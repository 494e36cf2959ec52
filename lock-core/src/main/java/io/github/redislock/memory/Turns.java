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
 * Gives locks to the next waiters with growing fencing tokens, and collects the messages
 * for them.
 */
final class Turns {

	/** How long a waiter that was notified of its turn has precedence over others. */
	private static final Duration TURN = Duration.ofMillis(900);

	private final StoreClock clock;

	private long lastToken;

	private List<Consumer<HandOverListener>> news = new ArrayList<>();

	Turns(StoreClock clock) {
		this.clock = clock;
	}

	/**
	 * Admit the first waiters, one after the other, as long as there is room. If the next
	 * waiter has to request the lock itself, notify it instead.
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
	 * Admit the waiters that precede a requester, and then check whether it is the
	 * requester's turn.
	 * @return the holder or the waiter that precedes the requester, or {@code null} if
	 * the requester may have the lock
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
	 * Reserve fencing tokens for a request, and return the first of them.
	 */
	long tokensFor(AcquireRequest request) {
		long first = upcomingToken();
		this.lastToken = first + request.tokens() - 1;
		return first;
	}

	/**
	 * Add the message that a lock was released by force.
	 */
	void tellForce(MemoryLock lock) {
		this.news.add((told) -> told.takenByForce(lock.name()));
	}

	/**
	 * Return the collected messages and clear them.
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
		// Another request of the same owner may already have a place that serves both.
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
