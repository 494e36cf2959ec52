package io.github.redislock.reactive;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockTarget;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.redis.RedisLockTemplate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class LockedFluxTests {

	private final LockTarget lock = LockTarget.of("export");

	private final RedisLockTemplate locks = new RedisLockTemplate(new InMemoryLockStore(),
			LockConfiguration.defaults());

	@AfterEach
	void close() {
		this.locks.close();
	}

	/**
	 * The subscriber cancels when the lock has been granted, but before it is told.
	 */
	@Test
	void lockGrantedAtTheMomentOfTheCancellationIsReleased() {
		AtomicBoolean worked = new AtomicBoolean();
		BaseSubscriber<String> subscriber = new BaseSubscriber<>() {
		};

		new LockedFlux<>(Flux.just("value").doOnNext((value) -> worked.set(true))).run((work) -> {
			AtomicBoolean granted = new AtomicBoolean();
			CompletableFuture<@Nullable Void> result = this.locks.async().execute(this.lock, (held) -> {
				CompletionStage<@Nullable Void> ended = work.apply(held);
				granted.set(true);
				return ended;
			});
			await().untilTrue(granted);
			subscriber.cancel();
			return result;
		}).subscribe(subscriber);

		await("released").until(() -> this.locks.inspect(this.lock).isEmpty());
		assertThat(worked).isFalse();
	}

}
