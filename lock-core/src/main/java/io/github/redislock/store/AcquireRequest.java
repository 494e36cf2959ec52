package io.github.redislock.store;

import java.time.Duration;

import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * A request for a lock.
 *
 * @param target the lock
 * @param owner the owner token
 * @param requestId the id of this acquisition, which a repeated request keeps.
 * {@code null} if the owner token {@linkplain #isKnownByItsOwner() ends with the id},
 * which then need not be stored twice
 * @param timeToLive how long the store keeps the lock without renewal; {@code null} means
 * forever
 * @param tokens the number of consecutive fencing tokens to reserve, at least 1
 * @param claim how long the store keeps a lock that it hands over to this request, or
 * {@code null} if the request does not wait. Zero if the request waits but does not want
 * the lock to be handed over: the requester is notified of its turn, and sends the
 * request again. Always zero if the request waits for several locks
 * @param askedAt when the request is sent, by the requester's own clock. A hand-over
 * returns this value
 * @param patience how long the caller waits for a reply; after that time the request need
 * not be sent any more
 * @param first whether no earlier attempt has got a reply or failed so far. If so, the
 * caller waits for the reply at least until the store's own timeout
 * @param quickToken the fencing token of the grant if the lock may be released in the
 * {@linkplain AcquireReply.Granted#quick() shorter way}; 0 otherwise
 */
public record AcquireRequest(LockTarget target, String owner, @Nullable String requestId, @Nullable Duration timeToLive,
		int tokens, @Nullable Duration claim, long askedAt, Duration patience, boolean first, long quickToken) {

	/**
	 * Create a request. A claim for several locks is set to zero, because they are never
	 * handed over.
	 */
	public AcquireRequest {
		if (claim != null && target.isSeveral()) {
			claim = Duration.ZERO;
		}
	}

	/**
	 * Create a new request that does not wait for the lock, and whose caller waits for
	 * the reply until the store's own timeout. Do not use this to copy a request, because
	 * the other values would be lost.
	 */
	public AcquireRequest(LockTarget target, String owner, String requestId, @Nullable Duration timeToLive) {
		this(target, owner, requestId, timeToLive, 1, null, 0, Duration.ZERO, true, 0);
	}

	/**
	 * Return the unique id of this acquisition.
	 */
	@Override
	public String requestId() {
		return (this.requestId != null) ? this.requestId : this.owner.substring(this.owner.lastIndexOf('/') + 1);
	}

	/**
	 * Return whether the owner token ends with a slash and the id of this request. If so,
	 * a store that keeps the token also knows the request.
	 */
	public boolean isKnownByItsOwner() {
		if (this.requestId == null) {
			return true;
		}
		int begin = this.owner.length() - this.requestId.length();
		return begin > 0 && this.owner.charAt(begin - 1) == '/' && this.owner.endsWith(this.requestId);
	}

	/**
	 * Return the same request for some of its locks. If it waits, it is notified of its
	 * turn instead of getting a hand-over.
	 */
	public AcquireRequest part(LockTarget part) {
		return new AcquireRequest(part, this.owner, this.requestId, this.timeToLive, this.tokens,
				(this.claim != null) ? Duration.ZERO : null, this.askedAt, this.patience, this.first, this.quickToken);
	}

	/**
	 * Return the same request with the lock for reading.
	 */
	public AcquireRequest forReading() {
		return new AcquireRequest(this.target.forReading(), this.owner, this.requestId, this.timeToLive, 1, this.claim,
				this.askedAt, this.patience, this.first, 0);
	}

	/**
	 * Return the same request with at least the given lease, because the lock may have
	 * been renewed for longer.
	 */
	public AcquireRequest lastingAtLeast(Duration rest) {
		if (this.timeToLive == null || this.timeToLive.compareTo(rest) >= 0) {
			return this;
		}
		return new AcquireRequest(this.target, this.owner, this.requestId, rest, this.tokens, this.claim, this.askedAt,
				this.patience, this.first, this.quickToken);
	}

	/**
	 * Return the same request, sent at another time.
	 */
	public AcquireRequest askedAt(long time) {
		return askedAt(time, this.patience, this.first);
	}

	/**
	 * Return the same request, sent at another time.
	 * @param patience how long to wait for a reply
	 * @param first whether no earlier attempt has got a reply or failed so far
	 */
	public AcquireRequest askedAt(long time, Duration patience, boolean first) {
		return new AcquireRequest(this.target, this.owner, this.requestId, this.timeToLive, this.tokens, this.claim,
				time, patience, first, this.quickToken);
	}

	/**
	 * Return the same request, marked as granted in the shorter way for uncontended
	 * locks.
	 * @param token the first fencing token; 0 to remove the mark
	 */
	public AcquireRequest grantedQuickly(long token) {
		// A lock is granted this way only if the owner token ends with the request id, so
		// the id need not be stored.
		return new AcquireRequest(this.target, this.owner, null, this.timeToLive, this.tokens, this.claim, this.askedAt,
				this.patience, this.first, token);
	}

}
