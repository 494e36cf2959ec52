package io.github.redislock.memory;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.github.redislock.FencingTokens;
import io.github.redislock.LockState;
import io.github.redislock.LockStore;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps locks in the memory of this process: for unit tests, and for applications that
 * run only once.
 * <p>
 * Keeps the same contract as the stores that are shared, but excludes only callers that
 * use this very object. Thread-safe.
 *
 * @see ManualLockTimer
 */
public final class InMemoryLockStore implements LockStore {

	private static final int CLEAN_UP_SIZE = 1_000;

	private final LockTimer timer;

	/** Guarded by this object's monitor, as all that follows. */
	private final Map<String, Lock> locks = new HashMap<>();

	private final Map<String, Long> withdrawn = new HashMap<>();

	private long lastToken;

	private int cleanUpAt = CLEAN_UP_SIZE;

	/**
	 * Create a store that runs with the system's clocks.
	 */
	public InMemoryLockStore() {
		this(LockTimer.system());
	}

	/**
	 * Create a store with a clock of one's own.
	 * @param timer the clock by which locks run out
	 */
	public InMemoryLockStore(LockTimer timer) {
		this.timer = timer;
	}

	@Override
	public CompletionStage<AcquireAnswer> acquire(AcquireRequest request) {
		return answer(() -> {
			cleanUp();
			if (this.withdrawn.containsKey(request.requestId())) {
				return new AcquireAnswer.Withdrawn();
			}
			String name = request.target().name();
			Lock present = live(name);
			if (present == null) {
				this.lastToken = FencingTokens.next(this.timer.now(), this.lastToken);
				this.locks.put(name,
						new Lock(request.owner(), request.requestId(), this.lastToken, expiry(request.timeToLive())));
				return new AcquireAnswer.Granted(this.lastToken);
			}
			if (present.owner().equals(request.owner())) {
				this.locks.put(name, present.until(later(present.expiresAt(), expiry(request.timeToLive()))));
				return new AcquireAnswer.Granted(present.token());
			}
			return new AcquireAnswer.Held(state(name, present));
		});
	}

	@Override
	public CompletionStage<Boolean> renew(LockTarget target, String owner, Duration timeToLive) {
		return answer(() -> {
			Lock present = live(target.name());
			if (present == null || !present.owner().equals(owner)) {
				return false;
			}
			this.locks.put(target.name(), present.until(expiry(timeToLive)));
			return true;
		});
	}

	@Override
	public CompletionStage<Boolean> release(LockTarget target, String owner, Duration keepFor) {
		return answer(() -> {
			Lock last = this.locks.get(target.name());
			if (last == null || !last.owner().equals(owner)) {
				return false;
			}
			if (isLive(last)) {
				this.locks.put(target.name(), last.until(expiry(keepFor)));
			}
			return true;
		});
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request) {
		return answer(() -> {
			Lock present = live(request.target().name());
			if (present != null && present.requestId().equals(request.requestId())) {
				this.locks.put(request.target().name(), present.until(this.timer.nanoTime()));
			}
			Duration timeToLive = request.timeToLive();
			this.withdrawn.put(request.requestId(),
					this.timer.nanoTime() + ((timeToLive != null) ? timeToLive : Duration.ofDays(1)).toNanos());
			return null;
		});
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return answer(() -> Optional.ofNullable(live(target.name())).map((lock) -> state(target.name(), lock)));
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target) {
		return answer(() -> {
			boolean held = live(target.name()) != null;
			this.locks.remove(target.name());
			return held;
		});
	}

	@Override
	public synchronized void close() {
		this.locks.clear();
		this.withdrawn.clear();
	}

	/**
	 * Return how many locks and withdrawals are remembered.
	 */
	synchronized int size() {
		return this.locks.size() + this.withdrawn.size();
	}

	private synchronized <T extends @Nullable Object> CompletionStage<T> answer(Supplier<T> decision) {
		return CompletableFuture.completedFuture(decision.get());
	}

	private @Nullable Lock live(String name) {
		Lock lock = this.locks.get(name);
		return (lock != null && isLive(lock)) ? lock : null;
	}

	private boolean isLive(Lock lock) {
		return lock.expiresAt() == null || lock.expiresAt() - this.timer.nanoTime() > 0;
	}

	private @Nullable Long expiry(@Nullable Duration timeToLive) {
		return (timeToLive != null) ? this.timer.nanoTime() + timeToLive.toNanos() : null;
	}

	private @Nullable Long later(@Nullable Long present, @Nullable Long asked) {
		if (present == null || asked == null) {
			return asked;
		}
		return (asked - present > 0) ? asked : present;
	}

	private LockState state(String name, Lock lock) {
		Long expiresAt = lock.expiresAt();
		Duration remaining = (expiresAt != null) ? Duration.ofNanos(expiresAt - this.timer.nanoTime()) : null;
		return new LockState(name, lock.owner(), remaining, lock.token(), 0);
	}

	/**
	 * Forget what has run out, each time the memory has grown by half.
	 */
	private void cleanUp() {
		if (this.locks.size() + this.withdrawn.size() < this.cleanUpAt) {
			return;
		}
		this.locks.values().removeIf((lock) -> !isLive(lock));
		this.withdrawn.values().removeIf((until) -> until - this.timer.nanoTime() <= 0);
		int size = this.locks.size() + this.withdrawn.size();
		this.cleanUpAt = Math.max(CLEAN_UP_SIZE, size + size / 2);
	}

	/**
	 * A lock and its last holder.
	 */
	private record Lock(String owner, String requestId, long token, @Nullable Long expiresAt) {

		Lock until(@Nullable Long end) {
			return new Lock(this.owner, this.requestId, this.token, end);
		}

	}

}
