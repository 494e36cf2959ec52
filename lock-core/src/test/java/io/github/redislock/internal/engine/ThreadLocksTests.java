package io.github.redislock.internal.engine;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.github.redislock.LocalLocks;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockTarget;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.testing.OwnThread;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class ThreadLocksTests {

	/** Threads with at least this many locks look them up by name. */
	private static final int MANY = 17;

	private final LockTemplate locks = template();

	private final List<LockHandle> held = new ArrayList<>();

	@AfterEach
	void close() {
		this.held.forEach(LockHandle::close);
		this.locks.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, MANY })
	void lockOfAnotherNameIsNotFound(int count) {
		acquire(count);

		assertThat(find(LockTarget.of("another"))).isNull();
		assertThat(find(LockTarget.of("lock-0"))).isSameAs(this.held.get(0));
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, MANY })
	void firstHeldNameOfASetIsFound(int count) {
		acquire(count);
		LockTarget several = LockTarget.allOf(LockTarget.of("a"), LockTarget.of("lock-0"), LockTarget.of("lock-1"));

		assertThat(find(several)).isSameAs(this.held.get(0));
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, MANY })
	void lookupDoesNotChangeTheThreadOfALock(int count) {
		acquire(count);
		String holder = Thread.currentThread().getName();

		onOtherThread(() -> {
			this.held.forEach((lock) -> ThreadLocks.add(((CallersLock) lock).reference()));
			find(LockTarget.of("lock-0"));
		});

		assertThat(this.locks.local().held()).extracting(LocalLocks.Held::thread).containsOnly(holder);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, MANY })
	void innermostUseOfALockIsRemovedFirst(int others) {
		acquire(others);
		LockHandle outer = acquire("lock");
		LockHandle inner = acquire("lock");
		Reference<? extends CallersLock> again = ((CallersLock) outer).reference();
		ThreadLocks.add(again);
		assertThat(find(LockTarget.of("lock"))).isSameAs(outer);

		ThreadLocks.remove(again);

		assertThat(find(LockTarget.of("lock"))).isSameAs(inner);
		assertThat(ThreadLocks.find(LockTarget.of("lock"), (lock) -> !lock.equals(inner))).isSameAs(outer);
		ThreadLocks.remove(((CallersLock) inner).reference());
		assertThat(find(LockTarget.of("lock"))).isSameAs(outer);
	}

	@Test
	void lockBelongsToAThreadOnlyWhileItRunsAPartOfTheWork() {
		LockHandle lock = acquire("lock");

		onOtherThread(() -> {
			CallersLock inside = ThreadLocks.call(List.of(lock), () -> find(LockTarget.of("lock")));

			assertThat(inside).isSameAs(lock);
			assertThat(find(LockTarget.of("lock"))).isNull();
			assertThat(ThreadLocks.isEmpty()).isTrue();
		});
	}

	@Test
	void nothingIsRetainedForAThreadThatReleasedItsLocks() {
		acquire("lock").release();

		assertThat(ThreadLocks.isEmpty()).isTrue();
	}

	@Test
	void lockReleasedByAnotherThreadIsNotRetained() {
		acquire(MANY);

		WeakReference<?> released = acquireAndReleaseElsewhere();

		assertThat(ThreadLocks.taken()).hasSize(MANY);
		awaitCollected(released);
	}

	@Test
	void lockWithADroppedHandleIsNotRetained() {
		acquire(MANY);

		WeakReference<?> dropped = acquireAndDrop();

		assertThat(ThreadLocks.taken()).hasSize(MANY);
		awaitCollected(dropped);
	}

	@Test
	void lockWithADroppedHandleIsNotRetainedByAThreadThatAcquiresOthers() {
		WeakReference<?> dropped = acquireAndDrop();

		acquire("another");

		awaitCollected(dropped);
	}

	private WeakReference<?> acquireAndReleaseElsewhere() {
		LockHandle lock = this.locks.acquire(LockTarget.of("released"));
		assertThat(find(LockTarget.of("released"))).isSameAs(lock);
		onOtherThread(lock::release);
		return new WeakReference<>(((CallersLock) lock).reference());
	}

	private static WeakReference<?> acquireAndDrop() {
		Reference<?> dropped = acquireAndForget();
		awaitCollected(dropped);
		return new WeakReference<>(dropped);
	}

	private static Reference<?> acquireAndForget() {
		// A closed template retains no lock.
		try (LockTemplate closed = template()) {
			LockHandle lock = closed.acquire(LockTarget.of("dropped"));
			assertThat(find(LockTarget.of("dropped"))).isSameAs(lock);
			return ((CallersLock) lock).reference();
		}
	}

	private static void awaitCollected(Reference<?> reference) {
		await().pollInSameThread().pollDelay(Duration.ZERO).until(() -> {
			System.gc();
			return reference.refersTo(null);
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

	private void acquire(int count) {
		IntStream.range(0, count).forEach((number) -> acquire("lock-" + number));
	}

	private LockHandle acquire(String name) {
		LockHandle lock = this.locks.acquire(LockTarget.of(name));
		this.held.add(lock);
		return lock;
	}

}
