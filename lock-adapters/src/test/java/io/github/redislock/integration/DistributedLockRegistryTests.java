package io.github.redislock.integration;

import java.io.IOException;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;

import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.util.CheckedCallable;
import org.springframework.messaging.support.GenericMessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests what Spring Integration documents about its lock registries.
 */
@ExtendWith(RedisServerExtension.class)
class DistributedLockRegistryTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final TwoInstances instances = new TwoInstances();

	private final DistributedLockRegistry registry = new DistributedLockRegistry(this.instances.one, "orders");

	private final DistributedLockRegistry elsewhere = new DistributedLockRegistry(this.instances.other, "orders");

	@AfterEach
	void close() {
		this.instances.close();
	}

	@Test
	void taskRunsUnderTheLock() throws Exception {
		String reply = this.registry.executeLocked("42", () -> {
			assertThat(this.elsewhere.obtain("42").tryLock()).isFalse();
			return "done";
		});

		assertThat(reply).isEqualTo("done");
		assertThat(isLocked("42")).isFalse();
	}

	@Test
	void taskExceptionIsRethrownAndTheLockIsReleased() {
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.registry.executeLocked("42", () -> {
			throw new IOException("task");
		}));

		assertThat(isLocked("42")).isFalse();
	}

	@Test
	void taskMayNotReturnUnfinishedWork() {
		CompletableFuture<String> unfinished = new CompletableFuture<>();

		assertThatIllegalStateException()
			.isThrownBy(
					() -> this.registry.executeLocked("42", (CheckedCallable<?, RuntimeException>) () -> unfinished))
			.withMessageStartingWith("Lock 'orders:42' does not protect all of its work");
		assertThatIllegalStateException().isThrownBy(() -> this.registry.executeLocked("42", PATIENCE,
				(CheckedCallable<?, RuntimeException>) () -> unfinished));

		assertThat(isLocked("42")).isFalse();
	}

	@Test
	void taskDoesNotRunIfTheWaitTimesOut() {
		LockHandle other = this.instances.other.acquire(LockTarget.of("orders:42"));

		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> this.registry.executeLocked("42", Duration.ofMillis(100), () -> {
				throw new AssertionError("runs without the lock");
			}));

		other.close();
	}

	@Test
	void waitOfLessThanASecondIsAWait() throws Exception {
		Lock other = this.elsewhere.obtain("42");
		other.lock();
		FutureTask<Boolean> waiter = new FutureTask<>(
				() -> this.registry.obtain("42").tryLock(999, TimeUnit.MILLISECONDS));
		OwnThread.start(waiter);

		Awaitility.await()
			.until(() -> waiter.isDone() || this.instances.other.inspect(LockTarget.of("orders:42"))
				.filter((state) -> state.waiters() == 1)
				.isPresent());

		assertThat(waiter).isNotDone();
		other.unlock();
	}

	@Test
	void locksOfTheSameKeyAreEqual() {
		Lock first = this.registry.obtain("42");
		Lock second = this.registry.obtain("42");

		assertThat(second).isEqualTo(first).hasSameHashCodeAs(first);
		first.lock();
		assertThat(second).isEqualTo(first).hasSameHashCodeAs(first);
		second.unlock();
		assertThat(first).isNotEqualTo(this.registry.obtain("43"))
			.isNotEqualTo(this.elsewhere.obtain("42"))
			.isNotEqualTo(null);
	}

	@Test
	void registriesWithDifferentKeysHaveSeparateLocks() {
		Lock lock = this.registry.obtain("42");
		lock.lock();

		Lock invoice = new DistributedLockRegistry(this.instances.other, "invoices").obtain("42");

		assertThat(invoice.tryLock()).isTrue();
		invoice.unlock();
		lock.unlock();
	}

	@Test
	void unlockOfALostLockThrowsConcurrentModificationException() {
		DistributedLock lock = this.registry.obtain("42");
		lock.lock();
		this.instances.other.forceRelease(LockTarget.of("orders:42"));
		LockHandle next = this.instances.other.acquire(LockTarget.of("orders:42"));

		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock)
			.withCauseInstanceOf(LockLostException.class);

		assertThat(next.verify()).isTrue();
		next.close();
	}

	@Test
	void lockCanHaveACustomTimeToLive() throws InterruptedException {
		DistributedLock lock = this.registry.obtain("42");

		assertThat(lock.tryLock(Duration.ofSeconds(1), Duration.ofMinutes(5))).isTrue();

		assertThat(remaining("42")).isGreaterThan(Duration.ofMinutes(4));
		assertThat(this.elsewhere.obtain("42").tryLock(Duration.ofMillis(100), Duration.ofMinutes(5))).isFalse();
		lock.unlock();
	}

	@Test
	void leaseCanBeRenewedExplicitly() {
		DistributedLock lock = this.registry.obtain("42");
		lock.lock(Duration.ofMinutes(1));
		assertThat(remaining("42")).isGreaterThan(Duration.ofSeconds(40));

		this.registry.renewLock("42", Duration.ofMinutes(10));
		Duration longer = remaining("42");
		this.registry.renewLock("42");

		assertThat(longer).isGreaterThan(Duration.ofMinutes(9));
		assertThat(remaining("42")).isLessThan(Duration.ofMinutes(2));
		lock.unlock();
	}

	@Test
	void interruptedThreadDoesNotRunATask() {
		Thread.currentThread().interrupt();

		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> this.registry.executeLocked("42", () -> {
			throw new AssertionError("runs without the lock");
		}));

		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void lockHeldByAnotherInstanceIsNotRenewed() {
		LockHandle other = this.instances.other.acquire(LockTarget.of("orders:42"));

		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.registry.renewLock("42"))
			.withMessageContaining("orders:42");
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.registry.renewLock("42", Duration.ofMinutes(1)));

		other.close();
	}

	@Test
	void lostLockIsNotRenewed() {
		this.registry.obtain("42").lock();
		this.instances.other.forceRelease(LockTarget.of("orders:42"));

		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.registry.renewLock("42"))
			.withCauseInstanceOf(LockLostException.class);

		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.registry.obtain("42")::unlock);
	}

	@Test
	void expireUnusedLocksKeepsHeldLocks() {
		Lock lock = this.registry.obtain("42");
		lock.lock();

		this.registry.expireUnusedOlderThan(0);

		assertThat(isLocked("42")).isTrue();
		lock.unlock();
	}

	@Test
	@SuppressWarnings("NullAway")
	void keyWithoutAStableTextFormIsRejected() {
		UUID uuid = UUID.fromString("0a0b0c0d-0000-0000-0000-000000000001");

		assertThat(this.registry.obtain(uuid)).hasToString("RegistryLock[name=orders:" + uuid + "]");
		assertThat(this.registry.obtain(42)).hasToString("RegistryLock[name=orders:42]");
		assertThat(this.registry.obtain(TimeUnit.DAYS)).hasToString("RegistryLock[name=orders:DAYS]");
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> this.registry.obtain(new Date()))
			.withMessageContainingAll("orders", "java.util.Date");
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> this.registry.obtain(null))
			.withMessage("key of lock 'orders' is null");
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> this.registry.obtain(List.of("a", "b")))
			.withMessage("A lock key must be one value but is several: 'orders:a + orders:b'");
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> this.registry.obtain(new GenericMessage<>("a")))
			.withMessageContaining("whose text has a random id: use '.payload', or a header");
	}

	@Test
	void outageFailsTheAcquisition() {
		LettuceConnectionFactory down = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", RedisProcess.freePort()));
		down.afterPropertiesSet();
		down.start();
		try (LockTemplate locks = new RedisLockTemplate(down)) {
			DistributedLock lock = new DistributedLockRegistry(locks, "orders").obtain("42");

			assertThatExceptionOfType(CannotAcquireLockException.class).isThrownBy(lock::tryLock)
				.withCauseInstanceOf(LockStoreException.class);
		}
		finally {
			down.destroy();
		}
	}

	@Test
	void redisLockRegistryAndOursExcludeOneAnotherOnTheSameKey() throws InterruptedException {
		RedisLockRegistry theirs = new RedisLockRegistry(TestRedis.shared().connectionFactory(),
				"distributed_lock:orders");
		try {
			DistributedLock old = theirs.obtain("42");
			DistributedLock ours = this.registry.obtain("42");

			old.lock();
			assertThat(ours.tryLock(200, TimeUnit.MILLISECONDS)).isFalse();
			old.unlock();

			assertThat(ours.tryLock(10, TimeUnit.SECONDS)).isTrue();
			assertThat(old.tryLock()).isFalse();
			ours.unlock();

			assertThat(old.tryLock(10, TimeUnit.SECONDS)).isTrue();
			old.unlock();
		}
		finally {
			theirs.destroy();
		}
	}

	private boolean isLocked(String key) {
		return this.instances.other.isLocked(LockTarget.of("orders:" + key));
	}

	private Duration remaining(String key) {
		return this.instances.other.inspect(LockTarget.of("orders:" + key)).orElseThrow().freeIn();
	}

}
