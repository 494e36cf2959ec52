package io.github.redislock.store;

import java.time.Duration;

import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * A request for a lock.
 *
 * @param target the lock
 * @param owner the owner token
 * @param requestId unique to this acquisition; the same when it is repeated. {@code null}
 * if the owner token {@linkplain #isKnownByItsOwner() ends with it}, so that it is not
 * kept twice
 * @param timeToLive how long the store keeps the lock without renewal; {@code null} means
 * forever
 * @param tokens how many consecutive fencing tokens to reserve, at least 1
 * @param claim how long the store keeps a lock that it hands over to this request, or
 * {@code null} if the request does not wait. Zero if it waits, but is notified of its
 * turn instead of being handed the lock, and then asks for it. Always zero for several
 * locks
 * @param askedAt the requester's time stamp of this request; returned with the hand-over
 * @param patience how long the caller waits for a reply; after that time the request need
 * not be sent
 * @param first whether no earlier request got a reply or failed. The caller then waits
 * for the reply at least as long as the store itself does
 * @param quickToken the fencing token of a grant that may be released in the
 * {@linkplain AcquireReply.Granted#quick() shorter way}; 0 otherwise
 */
public record AcquireRequest(LockTarget target, String owner, @Nullable String requestId, @Nullable Duration timeToLive,
		int tokens, @Nullable Duration claim, long askedAt, Duration patience, boolean first, long quickToken) {

	/**
	 * Create a request. Several locks are never handed over.
	 */
	public AcquireRequest {
		if (claim != null && target.isSeveral()) {
			claim = Duration.ZERO;
		}
	}

	/**
	 * Create a new request that does not wait for the lock, and whose caller waits for
	 * the reply as long as the store itself does. Not for a copy, which would lose the
	 * other values.
	 */
	public AcquireRequest(LockTarget target, String owner, String requestId, @Nullable Duration timeToLive) {
		this(target, owner, requestId, timeToLive, 1, null, 0, Duration.ZERO, true, 0);
	}

	/**
	 * Return the id of this acquisition, which no other one has.
	 */
	@Override
	public String requestId() {
		return (this.requestId != null) ? this.requestId : this.owner.substring(this.owner.lastIndexOf('/') + 1);
	}

	/**
	 * Return whether the owner token belongs to this request, and ends with a slash and
	 * its id: so a store that keeps the token also knows the request.
	 */
	public boolean isKnownByItsOwner() {
		if (this.requestId == null) {
			return true;
		}
		int begin = this.owner.length() - this.requestId.length();
		return begin > 0 && this.owner.charAt(begin - 1) == '/' && this.owner.endsWith(this.requestId);
	}

	/**
	 * Return the same request for other locks, only to be notified.
	 */
	public AcquireRequest part(LockTarget part) {
		return new AcquireRequest(part, this.owner, this.requestId, this.timeToLive, this.tokens,
				(this.claim != null) ? Duration.ZERO : null, this.askedAt, this.patience, this.first, this.quickToken);
	}

	/**
	 * Return the same request, changed from a writer's to a reader's.
	 */
	public AcquireRequest forReading() {
		return new AcquireRequest(this.target.forReading(), this.owner, this.requestId, this.timeToLive, 1, this.claim,
				this.askedAt, this.patience, this.first, 0);
	}

	/**
	 * Return the same request with at least this lease: the lock may have been renewed
	 * for longer.
	 */
	public AcquireRequest lastingAtLeast(Duration rest) {
		if (this.timeToLive == null || this.timeToLive.compareTo(rest) >= 0) {
			return this;
		}
		return new AcquireRequest(this.target, this.owner, this.requestId, rest, this.tokens, this.claim, this.askedAt,
				this.patience, this.first, this.quickToken);
	}

	/**
	 * Return the same request, asked at another time.
	 */
	public AcquireRequest askedAt(long time) {
		return askedAt(time, this.patience, this.first);
	}

	/**
	 * Return the same request, asked at another time.
	 * @param patience how long to wait for a reply
	 * @param first whether nothing is known yet
	 */
	public AcquireRequest askedAt(long time, Duration patience, boolean first) {
		return new AcquireRequest(this.target, this.owner, this.requestId, this.timeToLive, this.tokens, this.claim,
				time, patience, first, this.quickToken);
	}

	/**
	 * Return the same request, marked as granted in the shorter way.
	 * @param token the first fencing token; 0 if others may want the lock by now
	 */
	public AcquireRequest grantedQuickly(long token) {
		// Only an owner token with the request's id is granted this way, so no id is
		// kept.
		return new AcquireRequest(this.target, this.owner, null, this.timeToLive, this.tokens, this.claim, this.askedAt,
				this.patience, this.first, token);
	}

}
