package io.github.redislock.engine;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LocalLocks;
import io.github.redislock.LockException;
import io.github.redislock.LockHandle;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.LockedRunnable;
import io.github.redislock.LockedSupplier;
import io.github.redislock.SurroundingTransaction;
import io.github.redislock.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.TaskDecorator;
import org.springframework.util.ClassUtils;

/**
 * Takes and keeps locks for callers that wait on their own thread, in any store.
 * <p>
 * Renews leases, notices losses, and resolves what a store left unanswered. Thread-safe;
 * made once for each store and closed when the application ends.
 */
public class LockTemplate implements LockOperations, AutoCloseable {

	private static final boolean CRAC_PRESENT = ClassUtils.isPresent("org.crac.Resource",
			LockTemplate.class.getClassLoader());

	private final LockEngine engine;

	/** Kept here, since nobody else does. */
	private final @Nullable Object checkpoint;

	private final SurroundingTransaction transaction;

	private final TaskDecorator taskDecorator;

	private final @Nullable WorkThreads ownExecutor;

	private final AsyncLockOperations async;

	/**
	 * Create a template that keeps its locks in a store.
	 * @param store decides who holds a lock; closed together with this template
	 * @param configuration how to work
	 */
	public LockTemplate(LockStore store, LockConfiguration configuration) {
		this(store, configuration, SurroundingTransaction.NONE);
	}

	/**
	 * Create a template that knows transactions.
	 * @param store decides who holds a lock; closed together with this template
	 * @param configuration how to work
	 * @param transaction applies where the configuration says nothing of transactions
	 */
	protected LockTemplate(LockStore store, LockConfiguration configuration, SurroundingTransaction transaction) {
		this(new LockEngine(store, configuration), configuration, transaction);
	}

	LockTemplate(LockEngine engine, LockConfiguration configuration, SurroundingTransaction transaction) {
		this.engine = engine;
		this.checkpoint = CRAC_PRESENT ? Checkpoint.register(this.engine) : null;
		SurroundingTransaction configured = configuration.transaction();
		this.transaction = (configured != null) ? configured : transaction;
		this.taskDecorator = configuration.taskDecorator();
		Executor executor = configuration.executor();
		WorkThreads own = (executor != null) ? null : new WorkThreads();
		this.ownExecutor = own;
		this.async = async((own != null) ? own : Objects.requireNonNull(executor));
	}

	@Override
	public LockHandle acquire(LockTarget target, LockOptions options) {
		return take(target, options, true);
	}

	@Override
	public @Nullable LockHandle tryAcquire(LockTarget target, LockOptions options) {
		AcquireSettings settings = this.engine.settings(AcquireSettings.toTry(options));
		AcquireOutcome outcome = ask(target, settings, true);
		return (outcome instanceof AcquireOutcome.Refused) ? null : handle(outcome, settings);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(LockTarget target, LockOptions options,
			LockedSupplier<T, E> work) throws E {
		return run(take(target, options, false), work);
	}

	@Override
	public <E extends Throwable> boolean tryExecute(LockTarget target, LockOptions options, LockedRunnable<E> work)
			throws E {
		AcquireSettings settings = this.engine.settings(AcquireSettings.toTry(options));
		AcquireOutcome outcome = ask(target, settings, false);
		if (outcome instanceof AcquireOutcome.Refused) {
			return false;
		}
		return run(handle(outcome, settings), () -> {
			work.run();
			return true;
		});
	}

	@Override
	public Optional<LockState> inspect(LockTarget target) {
		return StoreAnswers.await(this.engine.callersWait(), target, this.engine.inspect(target));
	}

	@Override
	public boolean forceRelease(LockTarget target) {
		return StoreAnswers.await(this.engine.callersWait(), target, this.engine.forceRelease(target));
	}

	@Override
	public boolean forceRelease(LockTarget target, LockState seen) {
		return StoreAnswers.await(this.engine.callersWait(), target, this.engine.forceRelease(target, seen));
	}

	@Override
	public LocalLocks local() {
		return this.engine.local();
	}

	/**
	 * Return the same operations for callers that do not wait on their own thread.
	 * @return operations on the same locks; futures are completed, and work begins, on
	 * {@link LockConfiguration#executor}
	 */
	@Override
	public AsyncLockOperations async() {
		return this.async;
	}

	@Override
	public AsyncLockOperations async(Executor executor) {
		return new AsyncTemplate(this.engine, executor, this.taskDecorator);
	}

	/**
	 * End all waits, let all locks go, and close the store. Later calls for a lock are
	 * refused. Waits for holders as long as {@link LockConfiguration#closeWait} says, and
	 * up to 5 s more if the store does not answer; closing twice is harmless.
	 */
	@Override
	public void close() {
		this.engine.close();
		if (this.ownExecutor != null) {
			this.ownExecutor.close();
		}
	}

	int waiting() {
		return this.engine.waiting();
	}

	/**
	 * Return what hears that this process is stored and started again, if anything does.
	 */
	@Nullable Object checkpoint() {
		return this.checkpoint;
	}

	boolean isIdle() {
		return this.engine.isIdle();
	}

	private TransactionalHandle take(LockTarget target, LockOptions options, boolean leaves) {
		AcquireSettings settings = this.engine.settings(options);
		AcquireOutcome outcome = ask(target, settings, leaves);
		if (outcome instanceof AcquireOutcome.Refused refused) {
			throw new LockNotAcquiredException(target, refused.waited(), refused.waitTime(), refused.holder(),
					this.engine.heldInPart(Thread.currentThread(), target));
		}
		return handle(outcome, settings);
	}

	private AcquireOutcome ask(LockTarget target, AcquireSettings settings, boolean leaves) {
		Thread caller = Thread.currentThread();
		HoldHandle again = this.engine.enterAgain(caller, target, settings);
		if (again != null) {
			return new AcquireOutcome.Acquired(again);
		}
		this.engine.requireNotShared(caller, target);
		if (caller.isInterrupted()) {
			throw interrupted(target);
		}
		return await(this.engine.acquire(this.engine.taker(leaves), target, settings));
	}

	private static <T extends @Nullable Object, E extends Throwable> T run(TransactionalHandle lock,
			LockedSupplier<T, E> work) throws E {
		lock.guardWork();
		return new LockedWork(lock).run(work);
	}

	private AcquireOutcome await(Acquisition acquisition) {
		Machine.Waiting waiting = this.engine.callersWait();
		try {
			return waiting.get(acquisition.outcome());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			LockInterruptedException failure = interrupted(acquisition.target());
			if (!acquisition.cancel(failure)
					&& waiting.join(acquisition.outcome()) instanceof AcquireOutcome.Acquired acquired) {
				// Granted in the very moment of the interrupt.
				acquired.lock().release();
			}
			throw failure;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("An acquisition ends with an outcome, never with an exception", ex);
		}
	}

	private TransactionalHandle handle(AcquireOutcome outcome, AcquireSettings settings) {
		if (outcome instanceof AcquireOutcome.Failed failed) {
			LockException failure = failed.failure();
			// It was made on a thread of the store; what the caller wants to see is his
			// own.
			failure.fillInStackTrace();
			throw failure;
		}
		return TransactionalHandle.of(((AcquireOutcome.Acquired) outcome).lock(), this.transaction, settings);
	}

	private static LockInterruptedException interrupted(LockTarget target) {
		return new LockInterruptedException(target, "the thread was interrupted");
	}

}
