package io.github.redislock.engine;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import io.github.redislock.CallersLock;
import io.github.redislock.LockLostException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * One entry into a hold, which is left once. What its caller is given is another object,
 * so that the engine can tell whether he has dropped it; listeners see this one.
 */
final class HoldHandle implements Hold.Entry {

	private final Hold hold;

	private final AtomicReference<@Nullable CompletableFuture<ReleaseOutcome>> exit = new AtomicReference<>();

	/** Through which the caller leaves, if he has anything. */
	private volatile @Nullable WeakReference<? extends CallersLock> caller;

	HoldHandle(Hold hold) {
		this.hold = hold;
	}

	/**
	 * Return the first entry into a hold.
	 */
	static HoldHandle of(Hold hold) {
		return (HoldHandle) hold.handle();
	}

	/**
	 * Note what the caller was given.
	 * @return the only reference by which it may be remembered
	 */
	<H extends CallersLock> WeakReference<H> givenAs(H handle) {
		WeakReference<H> given = new WeakReference<>(handle);
		this.caller = given;
		return given;
	}

	@Override
	public boolean isForgotten() {
		WeakReference<? extends CallersLock> given = this.caller;
		return given != null && given.refersTo(null);
	}

	/**
	 * Note that a caller's thread uses the lock.
	 */
	void usedBy(Thread user) {
		this.hold.oversight().usedBy(user);
	}

	@Override
	public String name() {
		return this.hold.target().name();
	}

	@Override
	public LockTarget target() {
		return this.hold.target();
	}

	@Override
	public String owner() {
		return this.hold.owner();
	}

	@Override
	public long fencingToken() {
		return this.hold.fencingToken();
	}

	@Override
	public boolean isHeld() {
		return !hasLeft() && this.hold.isHeld();
	}

	@Override
	public Duration remaining() {
		return hasLeft() ? Duration.ZERO : this.hold.remaining();
	}

	@Override
	public boolean verify() {
		return !hasLeft() && await(this.hold.verify());
	}

	@Override
	public void extend(Duration additional) {
		requireEntered();
		await(this.hold.extend(additional));
	}

	@Override
	public void renew() {
		requireEntered();
		await(this.hold.renew());
	}

	@Override
	public void renew(Duration lease) {
		requireEntered();
		await(this.hold.renew(lease));
	}

	@Override
	public void downgrade() {
		requireEntered();
		await(this.hold.downgrade());
	}

	@Override
	public void onLost(Runnable action) {
		if (!hasLeft()) {
			this.hold.onLost(this, action);
		}
	}

	/**
	 * Do something when the lock is lost, on the thread that notices it.
	 * @param action neither blocks nor fails
	 */
	void whenLost(Runnable action) {
		if (!hasLeft()) {
			this.hold.whenLost(this, action);
		}
	}

	@Override
	public void detach() {
		this.hold.oversight().detach();
	}

	@Override
	public ReleaseOutcome release() {
		return this.hold.callersWait().join(leave());
	}

	/**
	 * Leave, and answer once the store has.
	 */
	CompletableFuture<ReleaseOutcome> leave() {
		CompletableFuture<ReleaseOutcome> own = new CompletableFuture<>();
		CompletableFuture<ReleaseOutcome> earlier = this.exit.compareAndExchange(null, own);
		if (earlier != null) {
			return earlier;
		}
		this.hold.exit(this).whenComplete((outcome, failure) -> own.complete(outcome));
		return own;
	}

	@Override
	public void close() {
		if (release() == ReleaseOutcome.NOT_HELD) {
			throw lost();
		}
	}

	/**
	 * Return what to tell the holder of a lock that was lost.
	 */
	LockLostException lost() {
		return this.hold.lost();
	}

	/**
	 * Return the hold that was entered.
	 */
	Hold hold() {
		return this.hold;
	}

	/**
	 * Return whether the entry was left.
	 */
	boolean hasLeft() {
		return this.exit.get() != null;
	}

	/**
	 * Fail if the entry was left.
	 */
	void requireEntered() {
		if (hasLeft()) {
			throw new IllegalStateException("Lock '%s' was released: acquire it again".formatted(name()));
		}
	}

	private <T> T await(CompletionStage<T> answer) {
		return StoreAnswers.await(this.hold.callersWait(), this.hold.target(), answer);
	}

	@Override
	public String toString() {
		return "LockHandle[name=%s, fencingToken=%d, held=%s]".formatted(name(), fencingToken(), isHeld());
	}

}
