package io.github.redislock;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * What the caller of a lock is given: one entry into a hold. The engine keeps no strong
 * reference to it, so that it can tell whether the caller has dropped it.
 */
final class HoldHandle implements LockHandle {

	private final HoldEntry entry;

	private final boolean ofCaller;

	/**
	 * Create a handle.
	 * @param ofCaller whether whoever uses it is the holder; otherwise only looks on
	 */
	HoldHandle(HoldEntry entry, boolean ofCaller) {
		this.entry = entry;
		this.ofCaller = ofCaller;
	}

	@Override
	public String name() {
		return this.entry.hold().target().name();
	}

	@Override
	public String owner() {
		return hold().owner();
	}

	@Override
	public long fencingToken() {
		return hold().fencingToken();
	}

	@Override
	public boolean isHeld() {
		return !this.entry.isLeft() && hold().isHeld();
	}

	@Override
	public Duration remaining() {
		return this.entry.isLeft() ? Duration.ZERO : hold().remaining();
	}

	@Override
	public boolean verify() {
		return !this.entry.isLeft() && await(hold().verify());
	}

	@Override
	public void extend(Duration additional) {
		requireEntered();
		await(hold().extend(additional));
	}

	@Override
	public void renew() {
		requireEntered();
		await(hold().renew());
	}

	@Override
	public void renew(Duration lease) {
		requireEntered();
		await(hold().renew(lease));
	}

	@Override
	public void onLost(Runnable action) {
		hold().onLost(action);
	}

	@Override
	public void detach() {
		hold().oversight().detach();
	}

	@Override
	public ReleaseOutcome release() {
		return (this.ofCaller ? this.entry.leave() : this.entry.hold().release()).join();
	}

	@Override
	public void close() {
		if (release() == ReleaseOutcome.NOT_HELD) {
			throw this.entry.hold().lost();
		}
	}

	/**
	 * Return the hold, for whoever uses the lock now.
	 */
	private Hold hold() {
		Hold hold = this.entry.hold();
		if (this.ofCaller) {
			hold.oversight().usedBy(Thread.currentThread());
		}
		return hold;
	}

	private void requireEntered() {
		if (this.entry.isLeft()) {
			throw new IllegalStateException("Lock '%s' was released: acquire it again".formatted(name()));
		}
	}

	private <T> T await(CompletionStage<T> answer) {
		return StoreAnswers.await(this.entry.hold().target(), answer);
	}

	@Override
	public String toString() {
		return "LockHandle[name=%s, fencingToken=%d, held=%s]".formatted(name(), this.entry.hold().fencingToken(),
				!this.entry.isLeft() && this.entry.hold().isHeld());
	}

}
