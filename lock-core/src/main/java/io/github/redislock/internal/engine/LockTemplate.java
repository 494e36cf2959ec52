package io.github.redislock.internal.engine;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Function;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LocalLocks;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockException;
import io.github.redislock.LockHandle;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.LockedSupplier;
import io.github.redislock.internal.support.CallingThread;
import io.github.redislock.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.TaskDecorator;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

/**
 * Acquires and keeps locks in any store, for blocking callers.
 * <p>
 * It renews leases, detects losses, and cleans up requests that got no reply.
 * Thread-safe; create one template for each store, and close it when the application
 * ends.
 */
public class LockTemplate implements LockOperations, AutoCloseable {

	private static final boolean CRAC_PRESENT = ClassUtils.isPresent("org.crac.Resource",
			LockTemplate.class.getClassLoader());

	private final LockEngine engine;

	/** Kept here because the registry's own reference is weak. */
	private final @Nullable Object checkpoint;

	private final SystemResources.Waiting waiting;

	private final TaskDecorator taskDecorator;

	/**
	 * Completes futures and begins work, unless an executor is configured. The number of
	 * threads is unlimited, because a task that blocks while it waits for a lock must not
	 * prevent the lock's holder from running.
	 */
	private final Executor ownThreads = WorkThreads.create("redis-lock-work-", Integer.MAX_VALUE);

	private final AsyncLockOperations async;

	private final BiFunction<Hold, AcquireSettings, BlockingHandle> handles;

	/**
	 * Create a template that keeps its locks in a store.
	 * @param store decides which owner holds a lock; closed together with this template
	 * @param configuration the configuration of the template
	 */
	public LockTemplate(LockStore store, LockConfiguration configuration) {
		this(store, configuration, (guarded) -> SurroundingTransaction.NONE);
	}

	/**
	 * Create a template whose blocking callers keep their locks until their transactions
	 * have ended.
	 * @param store decides which owner holds a lock; closed together with this template
	 * @param configuration the configuration of the template
	 * @param transactions how to find the transaction of a caller, depending on whether
	 * the loss of a lock {@linkplain LockConfiguration#commitGuard prevents its commit}
	 */
	protected LockTemplate(LockStore store, LockConfiguration configuration,
			Function<Boolean, SurroundingTransaction> transactions) {
		this(new LockEngine(store, configuration), configuration,
				transactions.apply(Boolean.TRUE.equals(configuration.get("commitGuard", Boolean.class))));
	}

	LockTemplate(LockEngine engine, LockConfiguration configuration, SurroundingTransaction transaction) {
		this.engine = engine;
		this.waiting = engine.callersWait();
		this.checkpoint = CRAC_PRESENT ? Checkpoint.register(this.engine) : null;
		this.handles = (hold, acquired) -> new BlockingHandle(hold, this.waiting, transaction, acquired);
		this.taskDecorator = new CallersClassLoader(
				Objects.requireNonNullElse(configuration.get("taskDecorator", TaskDecorator.class), (task) -> task));
		this.async = async(Objects.requireNonNullElse(configuration.get("executor", Executor.class), this.ownThreads));
	}

	@Override
	public LockHandle acquire(LockTarget target, LockOptions options) {
		return require(target, options);
	}

	@Override
	public @Nullable LockHandle tryAcquire(LockTarget target, LockOptions options) {
		return attempt(target, options);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(LockTarget target, LockOptions options,
			LockedSupplier<T, E> work) throws E {
		Assert.notNull(work, "work must not be null");
		return run(require(target, options), work);
	}

	@Override
	public <T, E extends Throwable> Optional<T> tryExecute(LockTarget target, LockOptions options,
			LockedSupplier<T, E> work) throws E {
		Assert.notNull(work, "work must not be null");
		BlockingHandle lock = attempt(target, options);
		return (lock != null) ? LockedWork.ofTried(run(lock, work)) : Optional.empty();
	}

	@Override
	public Optional<LockState> inspect(LockTarget target) {
		return StoreReplies.await(this.waiting, target, this.engine.inspect(target));
	}

	@Override
	public boolean forceRelease(LockTarget target) {
		return StoreReplies.await(this.waiting, target, this.engine.forceRelease(target));
	}

	@Override
	public boolean forceRelease(LockTarget target, LockState seen) {
		return StoreReplies.await(this.waiting, target, this.engine.forceRelease(target, seen));
	}

	@Override
	public LocalLocks local() {
		return this.engine.local();
	}

	/**
	 * Return non-blocking versions of these operations.
	 * @return operations on the same locks, which complete futures and begin work on
	 * {@link LockConfiguration#executor}
	 */
	@Override
	public AsyncLockOperations async() {
		return this.async;
	}

	@Override
	public AsyncLockOperations async(Executor executor) {
		Assert.notNull(executor, "executor must not be null");
		return new AsyncTemplate(this.engine, executor, this.taskDecorator);
	}

	@Override
	public void close() {
		this.engine.close();
		WorkThreads.close(this.ownThreads);
	}

	int waiting() {
		return local().waiting().stream().mapToInt(LocalLocks.Waiting::callers).sum();
	}

	@Nullable Object checkpoint() {
		return this.checkpoint;
	}

	boolean isIdle() {
		return this.engine.isIdle();
	}

	private BlockingHandle require(LockTarget target, LockOptions options) {
		AcquireSettings settings = this.engine.settings(target, options);
		AcquireOutcome<BlockingHandle> outcome = request(target, settings);
		if (outcome instanceof AcquireOutcome.Refused<BlockingHandle> refused) {
			throw refused.failure(target, this.engine.reentrance().heldInPart(target));
		}
		return begin(outcome, settings);
	}

	/**
	 * Acquire a lock.
	 * @return {@code null} if the lock was refused
	 */
	private @Nullable BlockingHandle attempt(LockTarget target, LockOptions options) {
		AcquireSettings settings = this.engine.settingsToTry(target, options);
		AcquireOutcome<BlockingHandle> outcome = request(target, settings);
		return (outcome instanceof AcquireOutcome.Refused) ? null : begin(outcome, settings);
	}

	private AcquireOutcome<BlockingHandle> request(LockTarget target, AcquireSettings settings) {
		BlockingHandle again = ThreadLocks.isEmpty() ? null
				: this.engine.reentrance().enter(target, settings, this.handles);
		if (again != null) {
			return new AcquireOutcome.Acquired<>(again);
		}
		if (Thread.currentThread().isInterrupted()) {
			throw new LockInterruptedException(target);
		}
		return await(CallingThread.begin(settings.waitTime(),
				() -> this.engine.acquire(target, settings, Thread.currentThread(), this.handles),
				Acquisition::outcome));
	}

	private AcquireOutcome<BlockingHandle> await(Acquisition<BlockingHandle> acquisition) {
		try {
			return this.waiting.get(acquisition.outcome());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			LockInterruptedException failure = new LockInterruptedException(acquisition.target());
			if (!acquisition.cancel(failure) && this.waiting
				.join(acquisition.outcome()) instanceof AcquireOutcome.Acquired<BlockingHandle> granted) {
				// The lock was granted before the interrupt was noticed.
				this.waiting.join(granted.lock().leave());
			}
			throw failure;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(
					"The acquisition failed with an exception instead of completing with an outcome", ex);
		}
	}

	/**
	 * Return the lock of an acquisition that was not refused, and begin to use it.
	 */
	private static BlockingHandle begin(AcquireOutcome<BlockingHandle> outcome, AcquireSettings settings) {
		if (outcome instanceof AcquireOutcome.Failed<BlockingHandle> failed) {
			LockException failure = failed.failure();
			// The exception may come from another thread; the caller needs the stack
			// trace of its own thread.
			failure.fillInStackTrace();
			throw failure;
		}
		BlockingHandle lock = ((AcquireOutcome.Acquired<BlockingHandle>) outcome).lock();
		lock.begin(settings.reentrant());
		return lock;
	}

	private static <T extends @Nullable Object, E extends Throwable> T run(BlockingHandle lock,
			LockedSupplier<T, E> work) throws E {
		lock.guardWork();
		return new LockedWork(lock).run(work);
	}

}
