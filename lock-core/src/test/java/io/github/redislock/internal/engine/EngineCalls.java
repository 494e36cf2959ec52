package io.github.redislock.internal.engine;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.OwnerTokens;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import org.jspecify.annotations.Nullable;

/**
 * Calls an engine like a template, for tests that inspect the outcome.
 */
final class EngineCalls {

	/** Retains all handles, so that none counts as dropped. */
	private final List<Object> handles = new ArrayList<>();

	/**
	 * Begin to acquire a lock for work that belongs to no thread.
	 */
	Acquisition<BlockingHandle> acquire(LockEngine engine, LockTarget target, AcquireSettings settings) {
		return engine.acquire(target, settings, null, (hold, own) -> handle(hold));
	}

	/**
	 * Begin to acquire a lock for the current thread.
	 */
	Acquisition<BlockingHandle> acquireForThread(LockEngine engine, LockTarget target, AcquireSettings settings) {
		return engine.acquire(target, settings, Thread.currentThread(), (hold, own) -> handle(hold));
	}

	/**
	 * Enter a hold for the first time.
	 */
	BlockingHandle handle(Hold hold) {
		BlockingHandle handle = new BlockingHandle(hold, SystemResources.system().waiting(),
				SurroundingTransaction.NONE, hold.terms().settings());
		this.handles.add(handle);
		return handle;
	}

	/**
	 * Enter a hold once more.
	 * @return the handle, or {@code null} if the hold cannot be entered
	 */
	@Nullable BlockingHandle enterAgain(Hold hold, LockTarget target) {
		return hold.enterAgain(target, this::handle);
	}

	/**
	 * Return the lock of a successful acquisition.
	 */
	static BlockingHandle lock(Acquisition<BlockingHandle> acquisition) {
		AcquireOutcome<BlockingHandle> outcome = acquisition.outcome().getNow(null);
		return ((AcquireOutcome.Acquired<BlockingHandle>) Objects.requireNonNull(outcome)).lock();
	}

	/**
	 * Return a receiver of messages for parts of an engine that are tested alone.
	 */
	static StoreMessages messages() {
		return new StoreMessages((name) -> {
		}, () -> {
		}, () -> {
		});
	}

	/**
	 * Return what the queues of an engine share, for queues whose callers send no
	 * requests.
	 */
	static EngineParts parts() {
		JumpDetectingTimer timer = new JumpDetectingTimer(new ManualLockTimer());
		EngineStore store = new EngineStore(new InMemoryLockStore(timer), null, timer);
		return new EngineParts(store, timer, new Jitter(new Random()), messages(), new Renewer(timer, store),
				new OwnerTokens("me", new SecureRandom(), System::nanoTime), Duration.ofMillis(20));
	}

}
