package io.github.redislock.reactive;

import java.time.Duration;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.HeldLock;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import reactor.core.publisher.Mono;

/**
 * The reactive handle of an acquired lock.
 * <p>
 * Works like {@link AsyncLockHandle}, but sends each request to the store only when its
 * publisher is subscribed to.
 *
 * @see ReactiveLockOperations
 */
public final class ReactiveLockHandle implements HeldLock {

	private final AsyncLockHandle lock;

	ReactiveLockHandle(AsyncLockHandle lock) {
		this.lock = lock;
	}

	@Override
	public String name() {
		return this.lock.name();
	}

	@Override
	public LockTarget target() {
		return this.lock.target();
	}

	@Override
	public String owner() {
		return this.lock.owner();
	}

	@Override
	public long fencingToken() {
		return this.lock.fencingToken();
	}

	@Override
	public boolean isHeld() {
		return this.lock.isHeld();
	}

	@Override
	public Duration remaining() {
		return this.lock.remaining();
	}

	@Override
	public void onLost(Runnable action) {
		this.lock.onLost(action);
	}

	/**
	 * Check with the store whether the lock is still ours.
	 * @return whether we are still the owner; {@code false} after the release
	 * @see AsyncLockHandle#verify()
	 */
	public Mono<Boolean> verify() {
		return Mono.fromFuture(this.lock::verify);
	}

	/**
	 * Add time to the rest of the lease.
	 * @param additional how much to add, at least 1 ms
	 * @return a publisher that completes when the store has confirmed the change
	 * @see AsyncLockHandle#extend(Duration)
	 */
	public Mono<Void> extend(Duration additional) {
		return Mono.fromFuture(() -> this.lock.extend(additional));
	}

	/**
	 * Start the lease again, with the length that it had when the lock was acquired.
	 * @return a publisher that completes when the store has confirmed the change
	 * @see AsyncLockHandle#renew()
	 */
	public Mono<Void> renew() {
		return Mono.fromFuture(this.lock::renew);
	}

	/**
	 * Replace the rest of the lease, whether the new lease is longer or shorter.
	 * @param lease the new lease, counted from the subscription; at least 10 ms
	 * @return a publisher that completes when the store has confirmed the change
	 * @see AsyncLockHandle#renew(Duration)
	 */
	public Mono<Void> renew(Duration lease) {
		return Mono.fromFuture(() -> this.lock.renew(lease));
	}

	/**
	 * Release the lock.
	 * @return what happened to the lock
	 * @see AsyncLockHandle#release()
	 */
	public Mono<ReleaseOutcome> release() {
		// A release that has begun continues even if the subscriber cancels.
		return Mono.fromFuture(this.lock::release, true);
	}

	/**
	 * Release the lock, and fail if it was lost before the release (unless the loss is
	 * {@linkplain io.github.redislock.OnLost#IGNORE ignored}).
	 * @return a publisher that completes when the lock was released
	 * @see AsyncLockHandle#close()
	 */
	public Mono<Void> close() {
		return Mono.fromFuture(this.lock::close, true);
	}

	@Override
	public String toString() {
		return this.lock.toString();
	}

}
