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
 * {@code null} to read it from the {@linkplain #isKnownByItsOwner() end of the owner
 * token}, so that it is not stored twice
 * @param timeToLive how long the store keeps the lock without renewal; {@code null} means
 * forever
 * @param tokens the number of consecutive fencing tokens to reserve, at least 1
 * @param claim how long the store keeps a lock that it hands over to this request, or
 * {@code null} if the request does not wait. Zero if the request waits but does not want
 * the lock to be handed over: the requester is notified of its turn, and sends the
 * request again. Always zero if the request waits for several locks
 * @param attempt when and how the request is sent this time
 */
public record AcquireRequest(LockTarget target, String owner, @Nullable String requestId, @Nullable Duration timeToLive,
		int tokens, @Nullable Duration claim, Attempt attempt) {

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
	 * Create a new request, whose caller waits for the reply until the store's own
	 * timeout.
	 */
	public AcquireRequest(LockTarget target, String owner, String requestId, @Nullable Duration timeToLive, int tokens,
			@Nullable Duration claim) {
		this(target, owner, requestId, timeToLive, tokens, claim, Attempt.FIRST);
	}

	/**
	 * Create a new request that does not wait for the lock, and whose caller waits for
	 * the reply until the store's own timeout.
	 */
	public AcquireRequest(LockTarget target, String owner, String requestId, @Nullable Duration timeToLive) {
		this(target, owner, requestId, timeToLive, 1, null);
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
				(this.claim != null) ? Duration.ZERO : null, this.attempt);
	}

	/**
	 * Return the same request with at least the given lease, because the lock may have
	 * been renewed for longer.
	 */
	public AcquireRequest lastingAtLeast(Duration rest) {
		return (this.timeToLive == null || this.timeToLive.compareTo(rest) >= 0) ? this : new AcquireRequest(
				this.target, this.owner, this.requestId, rest, this.tokens, this.claim, this.attempt);
	}

	/**
	 * Return the same request, as it is sent another time.
	 */
	public AcquireRequest sentAs(Attempt attempt) {
		return new AcquireRequest(this.target, this.owner, this.requestId, this.timeToLive, this.tokens, this.claim,
				attempt);
	}

	/**
	 * Return the same request without a copy of its id, to be kept while the lock is
	 * held. The request must be {@linkplain #isKnownByItsOwner() known by its owner}.
	 */
	public AcquireRequest withoutId() {
		return new AcquireRequest(this.target, this.owner, null, this.timeToLive, this.tokens, this.claim,
				this.attempt);
	}

	/**
	 * When and how a request is sent.
	 *
	 * @param askedAt when the request is sent, by the requester's own clock. A hand-over
	 * returns this value
	 * @param sendTimeout how long the caller still waits. Unless this is the first
	 * attempt, it need not be sent after that time
	 * @param first whether no earlier attempt has received a reply or failed. If so, the
	 * caller waits for the reply at least until the store's own timeout
	 */
	public record Attempt(long askedAt, Duration sendTimeout, boolean first) {

		/** The first attempt of a caller that waits for the store's own timeout. */
		static final Attempt FIRST = new Attempt(0);

		/**
		 * Create the first attempt of a caller that waits for the store's own timeout.
		 */
		public Attempt(long askedAt) {
			this(askedAt, Duration.ZERO, true);
		}

	}

}
