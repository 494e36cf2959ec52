package io.github.redislock.annotation;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LocalLocks;
import io.github.redislock.LockHandle;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.LockedSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Records each call, and refuses those that the test chooses.
 */
class RecordingLocks implements LockOperations {

	final List<String> names = new CopyOnWriteArrayList<>();

	final List<LockTarget> targets = new CopyOnWriteArrayList<>();

	final List<LockOptions> options = new CopyOnWriteArrayList<>();

	private final Set<String> busy = ConcurrentHashMap.newKeySet();

	private @Nullable Supplier<RuntimeException> failure;

	void makeBusy(String name) {
		this.busy.add(name);
	}

	void failWith(Supplier<RuntimeException> failure) {
		this.failure = failure;
	}

	String onlyName() {
		return this.names.stream().reduce((one, other) -> one + " and " + other).orElse("none");
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(LockTarget target, LockOptions options,
			LockedSupplier<T, E> work) throws E {
		this.names.add(target.name());
		this.targets.add(target);
		this.options.add(options);
		if (this.failure != null) {
			throw this.failure.get();
		}
		if (this.busy.contains(target.name())) {
			throw new LockNotAcquiredException(target, Duration.ZERO, Duration.ZERO, null, null, null, null);
		}
		return work.get();
	}

	@Override
	public <T, E extends Throwable> Optional<T> tryExecute(LockTarget target, LockOptions options,
			LockedSupplier<T, E> work) {
		throw new UnsupportedOperationException();
	}

	@Override
	public LockHandle acquire(LockTarget target, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	@Override
	public @Nullable LockHandle tryAcquire(LockTarget target, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Optional<LockState> inspect(LockTarget target) {
		return Optional.empty();
	}

	@Override
	public boolean forceRelease(LockTarget target) {
		return false;
	}

	@Override
	public boolean forceRelease(LockTarget target, LockState seen) {
		return false;
	}

	@Override
	public LocalLocks local() {
		throw new UnsupportedOperationException();
	}

	@Override
	public AsyncLockOperations async() {
		throw new UnsupportedOperationException();
	}

	@Override
	public AsyncLockOperations async(Executor executor) {
		throw new UnsupportedOperationException();
	}

}
