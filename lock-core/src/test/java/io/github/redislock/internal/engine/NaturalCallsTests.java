package io.github.redislock.internal.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.memory.InMemoryLockStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/**
 * Calls as a user would write them: they compile without casts or type arguments, and
 * choose the expected overload.
 */
class NaturalCallsTests {

	private static final LockTarget PAYMENT = LockTarget.of("payment", 42);

	private static final LockOptions OPTIONS = LockOptions.options();

	private final LockTemplate template = new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());

	private final LockOperations locks = this.template;

	private final AsyncLockOperations async = this.template.async();

	private final List<String> done = new ArrayList<>();

	@AfterEach
	void close() {
		this.template.close();
	}

	@Test
	void fixedNameIsTheMetricNameOfItsLock() {
		LockHandle lock = this.locks.acquire("nightly");

		assertThat(lock.target()).isEqualTo(LockTarget.of("nightly"));
		assertThat(lock.target().metricName()).isEqualTo("nightly");
		assertThat(this.locks.isLocked("nightly")).isTrue();
		assertThat(this.async.isLocked("nightly").join()).isTrue();
		lock.close();
		assertThat(this.locks.isLocked("nightly")).isFalse();
	}

	@Test
	void handlesOfAFixedName() {
		try (LockHandle lock = this.locks.acquire("nightly", OPTIONS)) {
			assertThat(this.async.tryAcquire("nightly").join()).isNull();
			assertThat(this.async.tryAcquire("nightly", OPTIONS).join()).isNull();
			assertThat(lock.isHeld()).isTrue();
		}
		close(this.locks.tryAcquire("nightly"));
		close(this.locks.tryAcquire("nightly", OPTIONS));
		this.async.acquire("nightly").thenCompose(AsyncLockHandle::close).join();
		this.async.acquire("nightly", OPTIONS).thenCompose(AsyncLockHandle::close).join();
	}

	@Test
	void workWithoutAResult() throws IOException {
		this.locks.execute("nightly", () -> write());
		this.locks.execute("nightly", this::write);
		this.locks.execute("nightly", OPTIONS, () -> write());
		this.locks.execute(PAYMENT, () -> {
			write();
		});

		assertThat(this.locks.tryExecute("nightly", () -> write())).isTrue();
		assertThat(this.locks.tryExecute("nightly", this::write)).isTrue();
		assertThat(this.locks.tryExecute("nightly", OPTIONS, () -> write())).isTrue();
		assertThat(this.locks.tryExecute(PAYMENT, this::write)).isTrue();
		assertThat(this.locks.tryExecute(PAYMENT, OPTIONS, () -> {
			write();
			this.done.clear();
		})).isTrue();
		assertThat(this.done).isEmpty();
	}

	@Test
	void workWithAResult() throws IOException {
		String receipt = this.locks.execute("nightly", () -> pay());
		String other = this.locks.execute("nightly", OPTIONS, this::pay);
		long token = this.locks.execute("nightly", (lock) -> lock.fencingToken());
		String name = this.locks.execute("nightly", OPTIONS, (lock) -> lock.name());
		Optional<String> tried = this.locks.tryExecute("nightly", () -> pay());
		Optional<String> triedWithOptions = this.locks.tryExecute("nightly", OPTIONS, this::pay);
		Optional<Boolean> added = this.locks.tryExecute(PAYMENT, () -> this.done.add("one"));
		Optional<String> written = this.locks.tryExecute(PAYMENT, OPTIONS, () -> {
			write();
			return "written";
		});

		assertThat(List.of(receipt, other, name)).containsExactly("paid", "paid", "nightly");
		assertThat(token).isPositive();
		assertThat(tried).isEqualTo(triedWithOptions).hasValue("paid");
		assertThat(added).hasValue(true);
		assertThat(written).hasValue("written");
	}

	@Test
	void futuresOfAFixedName() {
		assertThat(this.async.execute("nightly", () -> later("a")).join()).isEqualTo("a");
		assertThat(this.async.execute("nightly", OPTIONS, () -> later("b")).join()).isEqualTo("b");
		assertThat(this.async.execute("nightly", (lock) -> later(lock.name())).join()).isEqualTo("nightly");
		assertThat(this.async.execute("nightly", OPTIONS, (lock) -> later(lock.name())).join()).isEqualTo("nightly");
		assertThat(this.async.tryExecute("nightly", () -> later("c")).join()).isTrue();
		assertThat(this.async.tryExecute("nightly", OPTIONS, () -> later("d")).join()).isTrue();
		assertThat(this.async.tryExecute("nightly", OPTIONS, (lock) -> later(lock.name())).join()).isTrue();
	}

	@Test
	void failureOfTriedWorkIsThrown() {
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.locks.tryExecute("nightly", () -> {
			throw new IOException("disk full");
		}));
	}

	@Test
	void workThatReturnsNullIsNotMistakenForARefusal() {
		assertThatNullPointerException().isThrownBy(() -> this.locks.tryExecute("nightly", () -> nothing()))
			.withMessage("work ran, but returned null instead of a result");
		assertThat(this.done).containsExactly("nothing");
		assertThat(this.locks.isLocked("nightly")).isFalse();
	}

	private static void close(@Nullable LockHandle lock) {
		assertThat(lock).isNotNull();
		lock.close();
	}

	private void write() throws IOException {
		if (this.done.size() > 100) {
			throw new IOException("disk full");
		}
		this.done.add("written");
	}

	private String pay() throws IOException {
		write();
		return "paid";
	}

	@SuppressWarnings("NullAway")
	private String nothing() {
		this.done.add("nothing");
		return null;
	}

	private static CompletableFuture<String> later(String value) {
		return CompletableFuture.completedFuture(value);
	}

}
