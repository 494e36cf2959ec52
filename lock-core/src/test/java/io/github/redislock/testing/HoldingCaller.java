package io.github.redislock.testing;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.github.redislock.LockHandle;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;

/**
 * A caller on a separate thread that holds one lock and requests another one on demand.
 * It keeps its first lock until it is closed, even if the other one is refused.
 */
public final class HoldingCaller implements AutoCloseable {

	private final LockOperations locks;

	private final LockOptions options;

	private final CompletableFuture<LockTarget> wanted = new CompletableFuture<>();

	private final CompletableFuture<LockHandle> held = new CompletableFuture<>();

	private final CompletableFuture<LockNotAcquiredException> refusal = new CompletableFuture<>();

	private final CountDownLatch end = new CountDownLatch(1);

	private final Thread thread;

	private HoldingCaller(LockOperations locks, String thread, LockTarget first, LockOptions options) {
		this.locks = locks;
		this.options = options;
		this.thread = new Thread(() -> run(first), thread);
		this.thread.setDaemon(true);
	}

	/**
	 * Start a caller, and wait until it holds its first lock.
	 */
	public static HoldingCaller of(LockOperations locks, String thread, LockTarget first, LockOptions options) {
		HoldingCaller caller = new HoldingCaller(locks, thread, first, options);
		caller.thread.start();
		caller.held.join();
		return caller;
	}

	/**
	 * Let the caller wait for another lock.
	 * @return this
	 */
	public HoldingCaller waitFor(LockTarget target) {
		this.wanted.complete(target);
		return this;
	}

	/**
	 * Return the waiting thread.
	 */
	public Thread thread() {
		return this.thread;
	}

	/**
	 * Return its first lock.
	 */
	public LockHandle held() {
		return this.held.join();
	}

	/**
	 * Return why the caller did not get the other lock.
	 */
	public CompletableFuture<LockNotAcquiredException> refusal() {
		return this.refusal;
	}

	private void run(LockTarget first) {
		try (LockHandle lock = this.locks.acquire(first, this.options)) {
			this.held.complete(lock);
			LockTarget next = this.wanted.join();
			try (LockHandle other = this.locks.acquire(next, this.options)) {
				this.refusal.completeExceptionally(new IllegalStateException("acquired " + other));
			}
			catch (LockNotAcquiredException ex) {
				this.refusal.complete(ex);
			}
			this.end.await();
		}
		catch (Throwable ex) {
			this.held.completeExceptionally(ex);
			this.refusal.completeExceptionally(ex);
		}
	}

	/**
	 * Let the caller release its locks.
	 */
	@Override
	public void close() {
		this.wanted.completeExceptionally(new IllegalStateException("it was not told what to wait for"));
		this.end.countDown();
	}

}
