package io.github.redislock.memory;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.github.redislock.LockState;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import org.jspecify.annotations.Nullable;

/**
 * Gives locks to the next waiters with increasing fencing tokens, and collects the
 * messages for them.
 */
final class GrantOrder {

	/** How long a lock is reported as kept for a waiter that was notified of its turn. */
	private static final Duration ASK_WITHIN = Duration.ofMillis(900);

	private final StoreClock clock;

	private long lastToken;

	private List<Consumer<HandOverListener>> messages = new ArrayList<>();

	GrantOrder(StoreClock clock) {
		this.clock = clock;
	}

	/**
	 * Admit the first waiters, one after the other, as long as there is room. If the next
	 * waiter has to request the lock itself, notify it instead.
	 */
	void handOver(MemoryLock lock) {
		admit(lock, null);
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
		AcquireRequest notified = admit(lock, asker.requestId());
		if (notified != null) {
			long token = upcomingToken();
			return lock
				.keptFor(new Place(notified.owner(), notified.requestId(), token, token, this.clock.end(ASK_WITHIN)));
		}
		AcquireRequest next = lock.waiters().first();
		boolean first = next == null || next.requestId().equals(asker.requestId());
		return (first && lock.hasRoomFor(asker)) ? null : lock.refusal(asker.target());
	}

	/**
	 * Admit the waiters ahead of a requester, as long as there is room.
	 * @param asking the request id of the requester, or {@code null} for all waiters
	 * @return the next waiter if it has to request the lock itself and was notified of
	 * its turn; otherwise {@code null}
	 */
	private @Nullable AcquireRequest admit(MemoryLock lock, @Nullable String asking) {
		AcquireRequest next = lock.waiters().first();
		while (next != null && !next.requestId().equals(asking) && lock.hasRoomFor(next)) {
			if (Duration.ZERO.equals(next.claim())) {
				AcquireRequest asked = next;
				this.messages.add((listener) -> listener.turnHasCome(asked.requestId()));
				return asked;
			}
			handOver(lock, next);
			next = lock.waiters().first();
		}
		return null;
	}

	long tokensFor(AcquireRequest request) {
		long first = upcomingToken();
		this.lastToken = first + request.tokens() - 1;
		return first;
	}

	void notifyOfForce(MemoryLock lock) {
		this.messages.add((listener) -> listener.takenByForce(lock.name()));
	}

	List<Consumer<HandOverListener>> takeMessages() {
		List<Consumer<HandOverListener>> taken = this.messages;
		this.messages = new ArrayList<>();
		return taken;
	}

	private void handOver(MemoryLock lock, AcquireRequest next) {
		// Another request of the same owner may already have a place that serves both.
		Place own = lock.granted(next);
		long token = (own != null) ? own.token() : tokensFor(next);
		lock.give(next, token, this.clock.end(next.claim()));
		HandOver handOver = new HandOver(next.requestId(), next.attempt().askedAt(), token);
		this.messages.add((listener) -> listener.handedOver(handOver));
	}

	/**
	 * Return the next fencing token: the clock in microseconds, or the last token plus
	 * one if that is greater, as in Redis.
	 */
	private long upcomingToken() {
		return Math.max(ChronoUnit.MICROS.between(Instant.EPOCH, this.clock.now()), this.lastToken + 1);
	}

}
