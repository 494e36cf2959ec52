package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.github.redislock.LockStoreException;
import io.github.redislock.memory.ManualLockTimer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which requests {@link QuorumLeftovers} repeat to one server, and when.
 */
@Tag("promise-quorum")
class QuorumBacklogTests {

	private final ManualLockTimer clock = new ManualLockTimer();

	private final QuorumNode node = new ScriptedServer("server").node();

	private final QuorumLeftovers leftovers = new QuorumLeftovers(List.of(this.node),
			new QuorumPauses(new ManualExecutor(this.clock), this.clock::nanoTime, () -> 0));

	private final AtomicInteger repeated = new AtomicInteger();

	@Test
	void requestsOverTheLimitAreDroppedEvenIfOneIsPending() {
		CompletableFuture<Void> pending = new CompletableFuture<>();
		this.leftovers.add(this.node, null, () -> pending);
		this.clock.advance(Duration.ofSeconds(1));
		IntStream.range(0, 10_001).forEach((number) -> this.leftovers.add(this.node, null, this::count));

		pending.completeExceptionally(outage());
		IntStream.range(0, 500).forEach((number) -> this.leftovers.add(this.node, null, this::count));
		this.clock.advance(Duration.ofSeconds(1));

		assertThat(this.repeated).hasValue(10_000);
	}

	@Test
	void requestThatAlwaysFailsDoesNotBlockTheOthers() {
		this.leftovers.add(this.node, null, () -> CompletableFuture.failedFuture(outage()));
		this.leftovers.add(this.node, null, this::count);

		this.clock.advance(Duration.ofSeconds(1));

		assertThat(this.repeated).hasValue(1);
	}

	@Test
	void requestIsRepeatedUntilTheLockHasExpired() {
		this.leftovers.add(this.node, Duration.ofSeconds(20), () -> {
			this.repeated.incrementAndGet();
			return CompletableFuture.failedFuture(outage());
		});
		this.clock.advance(Duration.ofSeconds(20));
		int before = this.repeated.get();

		this.clock.advance(Duration.ofMinutes(1));

		assertThat(before).isGreaterThan(20);
		assertThat(this.repeated).hasValue(before);
	}

	private CompletionStage<Void> count() {
		this.repeated.incrementAndGet();
		return CompletableFuture.completedFuture(null);
	}

	private static LockStoreException outage() {
		return new LockStoreException(ScriptedServer.TARGET, "no reply", null, true, true);
	}

}
