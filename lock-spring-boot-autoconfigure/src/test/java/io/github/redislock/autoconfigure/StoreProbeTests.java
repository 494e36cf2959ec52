package io.github.redislock.autoconfigure;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each check waits a quarter of a second for a reply.
 */
class StoreProbeTests {

	private final List<CompletableFuture<Boolean>> questions = new ArrayList<>();

	private final StoreProbe probe = new StoreProbe(store());

	@Test
	void lateReplyIsReportedByTheNextProbe() {
		assertThat(this.probe.trouble()).isNull();
		last().completeExceptionally(failure("Redis did not reply within 2s"));

		assertThat(this.probe.trouble()).isEqualTo("Redis did not reply within 2s");
		assertThat(this.questions).hasSize(2);
	}

	@Test
	void problemIsClearedOnceTheStoreReplies() {
		this.probe.trouble();
		last().completeExceptionally(failure("Redis cannot be reached"));
		assertThat(this.probe.trouble()).isEqualTo("Redis cannot be reached");
		last().complete(false);

		assertThat(this.probe.trouble()).isNull();
	}

	@Test
	void missingReplyIsNoTroubleYetButKnown() {
		assertThat(this.probe.trouble()).isNull();
		assertThat(this.probe.isWaiting()).isTrue();
		last().complete(false);

		assertThat(this.probe.isWaiting()).isFalse();
	}

	@Test
	void pendingProbeIsNotRepeated() {
		this.probe.trouble();
		this.probe.trouble();

		assertThat(this.questions).hasSize(1);
	}

	@Test
	void interruptOfTheCallerIsKept() {
		Thread.currentThread().interrupt();

		assertThat(this.probe.trouble()).isNull();

		assertThat(Thread.interrupted()).isTrue();
	}

	private CompletableFuture<Boolean> last() {
		return this.questions.get(this.questions.size() - 1);
	}

	private AsyncLockOperations store() {
		return (AsyncLockOperations) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { AsyncLockOperations.class }, (proxy, method, arguments) -> {
					CompletableFuture<Boolean> question = new CompletableFuture<>();
					this.questions.add(question);
					return question;
				});
	}

	private static LockStoreException failure(String message) {
		return new LockStoreException(LockTarget.of("lock"), message, null, true, true);
	}

}
