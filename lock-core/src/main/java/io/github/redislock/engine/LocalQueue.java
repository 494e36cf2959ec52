package io.github.redislock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * The queue of this process's callers for one lock, first come, first served. At most one
 * request represents all of them in the store. A granted lock may pass from caller to
 * caller within this process.
 * <p>
 * Thread-safe: callers and the request are confined to a {@link SerialExecutor}.
 */
final class LocalQueue implements Tenure.Listener {

	private static final AtomicIntegerFieldUpdater<LocalQueue> USERS = AtomicIntegerFieldUpdater
		.newUpdater(LocalQueue.class, "users");

	private final LockTarget target;

	private final boolean common;

	private final QueueState state;

	private final SerialExecutor<QueueState> steps;

	/**
	 * The number of callers that wait for the lock or hold it. A queue is not reused
	 * after the last one has left.
	 */
	private volatile int users = 1;

	/**
	 * Create a queue with its first user.
	 * @param requests creates requests and tenures
	 * @param common whether several callers can share the queue
	 */
	LocalQueue(LockRequests requests, LockTarget target, boolean common) {
		this.target = target;
		this.common = common;
		this.state = new QueueState(this, requests);
		this.steps = new SerialExecutor<>(this.state);
	}

	LockTarget target() {
		return this.target;
	}

	boolean isCommon() {
		return this.common;
	}

	/**
	 * Count another user.
	 * @return {@code false} if the last user has already left, or if as many as allowed
	 * wait
	 */
	boolean use(AcquireSettings settings) {
		int maxWaiters = this.state.limit(settings);
		int count = this.users;
		while (count > 0 && count - (this.state.isOneServed() ? 1 : 0) < maxWaiters) {
			if (USERS.compareAndSet(this, count, count + 1)) {
				return true;
			}
			count = this.users;
		}
		return false;
	}

	boolean isUsed() {
		return this.users > 0;
	}

	/**
	 * Remove one user from the count.
	 * @return whether it was the last
	 */
	boolean unuse() {
		return USERS.decrementAndGet(this) == 0;
	}

	void enter(Acquisition<?> newcomer) {
		this.steps.run((state) -> state.enter(newcomer));
	}

	void leave(Acquisition<?> leaver) {
		this.steps.run((state) -> state.leave(leaver));
	}

	/**
	 * Send the pending request now, because the lock may be free. Do nothing if the store
	 * will send a message.
	 */
	void wake() {
		this.steps.run(QueueState::wake);
	}

	/**
	 * Handle a forced release. This process may hold the lock, perhaps through a grant
	 * that it has not received yet.
	 */
	void takenByForce() {
		this.steps.run(QueueState::takenByForce);
	}

	@Override
	public void execute(Runnable step) {
		this.steps.run((state) -> step.run());
	}

	@Override
	public void release(Tenure released) {
		this.steps.run((state) -> state.release(released));
	}

	@Override
	public void lost(Tenure lost) {
		this.steps.run((state) -> state.goOnWithout(lost));
	}

	@Nullable LockState behind() {
		return this.state.behind();
	}

	void refuse(Acquisition<?> caller) {
		this.state.refuse(caller);
	}

	/**
	 * Return a future that completes when all steps submitted so far are done.
	 */
	CompletableFuture<Void> settled() {
		CompletableFuture<Void> settled = new CompletableFuture<>();
		execute(() -> settled.complete(null));
		return settled;
	}

}
