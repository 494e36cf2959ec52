package io.github.redislock.annotation;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

import io.github.redislock.LockException;
import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.LogRecorder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class IfLockedTests {

	private final LockedContext context = LockedContext.of(Jobs.class);

	private final Jobs jobs = this.context.get(Jobs.class);

	@AfterEach
	void close() {
		this.context.close();
	}

	@Test
	void refusedCallThrowsByDefault() {
		this.context.locks().makeBusy("throw");

		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.jobs::throwing);
	}

	@Test
	void skippedCallReturnsAnEmptyResult() {
		this.context.locks().makeBusy("skip");

		assertThat(this.jobs.skippedText()).isNull();
		assertThat(this.jobs.skippedOptional()).isEmpty();
		assertThat(this.jobs.skippedOptionalInt()).isEmpty();
		assertThat(this.jobs.skippedList()).isEmpty();
		assertThat(this.jobs.skippedArray()).isEmpty();
		this.jobs.skippedVoid();
		assertThat(this.jobs.ran()).isFalse();
	}

	@Test
	void skippedCallIsLoggedAtDebug() {
		this.context.locks().makeBusy("skip");

		try (LogRecorder log = LogRecorder.debugOf("io.github.redislock.internal.interceptor.SkippedCall")) {
			this.jobs.skippedVoid();

			assertThat(log.text()).contains("Jobs.skippedVoid()", "'skip'");
		}
	}

	@Test
	void callThatAcquiresTheLockIsNotSkipped() {
		assertThat(this.jobs.skippedText()).isEqualTo("done");
	}

	@Test
	void fallbackGetsTheArgumentsAndTheReason() {
		this.context.locks().makeBusy("fallback");

		assertThat(this.jobs.withReason("a", 1)).isEqualTo("a1 instead: fallback");
	}

	@Test
	void fallbackMayOmitTheReason() {
		this.context.locks().makeBusy("fallback");

		assertThat(this.jobs.withoutReason("a")).isEqualTo("a instead");
		assertThat(this.jobs.count()).isEqualTo(-1);
	}

	@Test
	void fallbackThrowsItsOwnException() {
		this.context.locks().makeBusy("fallback");

		assertThatExceptionOfType(IOException.class).isThrownBy(this.jobs::failing);
	}

	@Test
	void refusalOfAnotherLockInsideTheMethodIsRethrown() {
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.jobs.nestedSkip())
			.extracting(LockException::getLockName)
			.isEqualTo("inner");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.jobs.nestedFallback())
			.extracting(LockException::getLockName)
			.isEqualTo("inner");
	}

	@Test
	void keyConflictIsThrownDespiteSkipOrFallback() {
		this.context.locks()
			.failWith(() -> new LockKeyConflictException(LockTarget.of("skip"), "key", "not a lock", null));

		assertThatExceptionOfType(LockKeyConflictException.class).isThrownBy(this.jobs::skippedText);
		assertThatExceptionOfType(LockKeyConflictException.class).isThrownBy(() -> this.jobs.withoutReason("a"));
		assertThat(this.jobs.ran()).isFalse();
	}

	@Test
	void outageIsThrownDespiteSkipOrFallback() {
		this.context.locks()
			.failWith(() -> new LockStoreException(LockTarget.of("skip"), "Redis is away", null, true, true));

		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.jobs::skippedText);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.jobs.withoutReason("a"));
	}

	@SuppressWarnings("unused")
	static class Jobs {

		private boolean ran;

		public boolean ran() {
			return this.ran;
		}

		@DistributedLock("throw")
		public void throwing() {
		}

		@DistributedLock(name = "skip", ifLocked = IfLocked.SKIP)
		public @Nullable String skippedText() {
			return "done";
		}

		@DistributedLock(name = "skip", ifLocked = IfLocked.SKIP)
		public Optional<String> skippedOptional() {
			return Optional.of("done");
		}

		@DistributedLock(name = "skip", ifLocked = IfLocked.SKIP)
		public OptionalInt skippedOptionalInt() {
			return OptionalInt.of(1);
		}

		@DistributedLock(name = "skip", ifLocked = IfLocked.SKIP)
		public List<String> skippedList() {
			return List.of("done");
		}

		@DistributedLock(name = "skip", ifLocked = IfLocked.SKIP)
		public int[] skippedArray() {
			return new int[] { 1 };
		}

		@DistributedLock(name = "skip", ifLocked = IfLocked.SKIP)
		public void skippedVoid() {
			this.ran = true;
		}

		@DistributedLock(name = "fallback", fallback = "instead")
		public String withReason(String text, int number) {
			return "done";
		}

		private String instead(String text, int number, LockNotAcquiredException busy) {
			return text + number + " instead: " + busy.getLockName();
		}

		@DistributedLock(name = "fallback", fallback = "instead")
		public Object withoutReason(String text) {
			return "done";
		}

		private String instead(String text) {
			return text + " instead";
		}

		@DistributedLock(name = "fallback", fallback = "noCount")
		public int count() {
			return 1;
		}

		static int noCount() {
			return -1;
		}

		@DistributedLock(name = "fallback", fallback = "fail")
		public void failing() throws IOException {
		}

		private void fail() throws IOException {
			throw new IOException("busy");
		}

		@DistributedLock(name = "outer", ifLocked = IfLocked.SKIP)
		public @Nullable String nestedSkip() {
			throw new LockNotAcquiredException(LockTarget.of("inner"), Duration.ZERO, Duration.ZERO, null, null, null);
		}

		@DistributedLock(name = "outer", fallback = "noNested")
		public String nestedFallback() {
			throw new LockNotAcquiredException(LockTarget.of("inner"), Duration.ZERO, Duration.ZERO, null, null, null);
		}

		private String noNested() {
			return "wrong";
		}

	}

}
