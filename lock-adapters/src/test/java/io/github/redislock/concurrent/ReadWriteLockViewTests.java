package io.github.redislock.concurrent;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockConfiguration;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests the contract of {@link java.util.concurrent.locks.ReadWriteLock}, and where a
 * view differs.
 */
class ReadWriteLockViewTests {

	private final LockTemplate locks = new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());

	private final ReadWriteLockView lock = new ReadWriteLockView(this.locks, "prices");

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	void readersShareTheLock() throws Exception {
		this.lock.readLock().lock();

		assertThat(elsewhere(this::readsNow)).isTrue();
		assertThat(elsewhere(this::writesNow)).isFalse();

		this.lock.readLock().unlock();
		assertThat(elsewhere(this::writesNow)).isTrue();
	}

	@Test
	void writerExcludesReadersAndWriters() throws Exception {
		this.lock.writeLock().lock();

		assertThat(elsewhere(this::readsNow)).isFalse();
		assertThat(elsewhere(this::writesNow)).isFalse();
		assertThat(elsewhere(() -> new LockView(this.locks, "prices").tryLock())).isFalse();

		this.lock.writeLock().unlock();
		assertThat(elsewhere(this::readsNow)).isTrue();
	}

	@Test
	void readLockNeedsAsManyUnlocksAsLocks() throws Exception {
		this.lock.readLock().lock();
		this.lock.readLock().lock();
		this.lock.readLock().unlock();
		assertThat(elsewhere(this::writesNow)).isFalse();

		this.lock.readLock().unlock();

		assertThat(elsewhere(this::writesNow)).isTrue();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock.readLock()::unlock)
			.withMessageContaining("'prices (read)'");
	}

	@Test
	void writerThatReadsExcludesOthersUntilBothAreUnlockedInAnyOrder() throws Exception {
		for (boolean writeFirst : List.of(true, false)) {
			LockView first = writeFirst ? this.lock.writeLock() : this.lock.readLock();
			LockView second = writeFirst ? this.lock.readLock() : this.lock.writeLock();
			this.lock.writeLock().lock();
			this.lock.readLock().lock();

			first.unlock();

			assertThat(second.handle().verify()).isTrue();
			assertThat(elsewhere(this::writesNow)).isFalse();
			assertThat(elsewhere(this::readsNow)).as("another reader").isFalse();
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(first::unlock);
			assertThat(takesNow(first)).as("this thread again").isTrue();
			second.unlock();
			assertThat(elsewhere(this::readsNow)).isTrue();
			assertThat(elsewhere(this::writesNow)).isTrue();
		}
	}

	@Test
	void readerRequestingTheWriteLockFailsInsteadOfDeadlocking() {
		this.lock.readLock().lock();

		assertThatIllegalStateException().isThrownBy(this.lock.writeLock()::lock);
		assertThatIllegalStateException().isThrownBy(this.lock.writeLock()::tryLock);

		this.lock.readLock().unlock();
	}

	private boolean readsNow() {
		return takesNow(this.lock.readLock());
	}

	private boolean writesNow() {
		return takesNow(this.lock.writeLock());
	}

	private static boolean takesNow(LockView view) {
		boolean taken = view.tryLock();
		if (taken) {
			view.unlock();
		}
		return taken;
	}

	private static <T> T elsewhere(Callable<T> call) throws Exception {
		return start(call).get(20, TimeUnit.SECONDS);
	}

	private static <T> FutureTask<T> start(Callable<T> call) {
		FutureTask<T> task = new FutureTask<>(call);
		new Thread(task).start();
		return task;
	}

}
