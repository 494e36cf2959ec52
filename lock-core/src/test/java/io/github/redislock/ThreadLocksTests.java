package io.github.redislock;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.testing.OwnThread;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class ThreadLocksTests {

	private final LockTemplate locks = template();

	private final List<LockHandle> held = new ArrayList<>();

	@AfterEach
	void close() {
		this.held.forEach(LockHandle::close);
		this.locks.close();
	}

	@Test
	void lockOfAnotherNameIsNotFound() {
		acquire("lock-0");

		assertThat(find(LockTarget.of("another"))).isNull();
		assertThat(find(LockTarget.of("lock-0"))).isSameAs(this.held.get(0));
	}

	@Test
	void firstHeldNameOfASetIsFound() {
		acquire("lock-0");
		acquire("lock-1");
		LockTarget several = LockTarget.allOf(LockTarget.of("a"), LockTarget.of("lock-0"), LockTarget.of("lock-1"));

		assertThat(find(several)).isSameAs(this.held.get(0));
	}

	@Test
	void lookupDoesNotChangeTheThreadOfALock() {
		acquire("lock-0");
		String holder = Thread.currentThread().getName();

		onOtherThread(() -> {
			this.held.forEach((lock) -> ThreadLocks.add(((CallersLock) lock).reference()));
			find(LockTarget.of("lock-0"));
		});

		assertThat(this.locks.local().held()).extracting(LocalLocks.Held::thread).containsOnly(holder);
	}

	@Test
	void innermostUseIsRemovedFirst() {
		LockHandle outer = acquire("lock");
		LockHandle inner = acquire("lock");
		Reference<? extends CallersLock> again = ((CallersLock) outer).reference();
		ThreadLocks.add(again);
		assertThat(find(LockTarget.of("lock"))).isSameAs(outer);

		ThreadLocks.remove(again);

		assertThat(find(LockTarget.of("lock"))).isSameAs(inner);
	}

	@Test
	void lockReleasedByAnotherThreadIsNotRetained() {
		WeakReference<?> released = acquireAndReleaseElsewhere();

		awaitCleanUp(released);
	}

	@Test
	void lockWithADroppedHandleIsNotRetained() {
		WeakReference<?> dropped = acquireAndDrop();

		awaitCleanUp(dropped);
	}

	private WeakReference<?> acquireAndReleaseElsewhere() {
		LockHandle lock = this.locks.acquire(LockTarget.of("released"));
		onOtherThread(lock::release);
		return new WeakReference<>(((CallersLock) lock).reference());
	}

	private static WeakReference<?> acquireAndDrop() {
		// The closed template remembers no lock.
		try (LockTemplate closed = template()) {
			return new WeakReference<>(((CallersLock) closed.acquire(LockTarget.of("dropped"))).reference());
		}
	}

	private static void awaitCleanUp(WeakReference<?> reference) {
		await().pollInSameThread().until(() -> {
			System.gc();
			return ThreadLocks.taken().isEmpty() && reference.refersTo(null);
		});
	}

	private static LockTemplate template() {
		return new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults().closeWait(Duration.ZERO));
	}

	private static void onOtherThread(Runnable task) {
		CompletableFuture.runAsync(task, OwnThread::run).join();
	}

	private static @Nullable CallersLock find(LockTarget target) {
		return ThreadLocks.find(target, (lock) -> true);
	}

	private LockHandle acquire(String name) {
		LockHandle lock = this.locks.acquire(LockTarget.of(name));
		this.held.add(lock);
		return lock;
	}

}
