package io.github.redislock.internal.engine;

import java.io.InputStream;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOperations;
import io.github.redislock.LockTarget;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.reactive.ReactiveLockOperations;
import io.github.redislock.reactive.ReactiveLockTemplate;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.ResourcelessTransactions;
import io.reactivex.rxjava3.core.Single;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.InputStreamResource;
import org.springframework.core.io.Resource;
import org.springframework.data.domain.Page;
import org.springframework.data.util.Streamable;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * No work goes on without its lock after {@code execute} has returned a result.
 */
class LateWorkTests {

	private static final LockTarget ORDER = LockTarget.of("order:42");

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final LockTemplate template = new RedisLockTemplate(new InMemoryLockStore(),
			LockConfiguration.defaults().commitGuard(false));

	private final LockOperations locks = this.template;

	private final ReactiveLockOperations reactive = new ReactiveLockTemplate(this.locks);

	@AfterEach
	void close() {
		this.template.close();
	}

	@ParameterizedTest
	@MethodSource("late")
	void resultWithWhichWorkGoesOnIsRefused(Object result) {
		assertRefused(catchThrowable(() -> this.locks.execute(ORDER, () -> result)));
		assertRefused(catchThrowable(() -> this.locks.execute(ORDER, (lock) -> result)));
		assertRefused(catchThrowable(() -> this.locks.tryExecute(ORDER, () -> result)));
		assertRefused(failure(this.locks.async().execute(ORDER, () -> CompletableFuture.completedFuture(result))));
		assertRefused(failure(this.locks.async().tryExecute(ORDER, () -> CompletableFuture.completedFuture(result))));
		assertRefused(failure(this.reactive.execute(ORDER, Mono.just(result)).toFuture()));
		assertRefused(failure(this.reactive.tryExecute(ORDER, Mono.just(result)).toFuture()));
		assertRefused(failure(this.reactive.execute(ORDER, Flux.just("first", result)).last().toFuture()));
	}

	static Stream<Arguments> late() {
		CompletableFuture<String> pending = new CompletableFuture<>();
		CompletionStage<String> stage = pending.minimalCompletionStage();
		Callable<String> anonymous = new Callable<>() {

			@Override
			public String call() {
				return "";
			}

		};
		Supplier<String> lambda = () -> "";
		Runnable task = () -> {
		};
		Iterator<String> iterator = List.of("a").iterator();
		Resource resource = new InputStreamResource(InputStream.nullInputStream());
		return arguments(pending, stage, new FutureTask<>(() -> ""), Mono.just(""), Flux.just(""), Single.just(""),
				Stream.of("a"), iterator, Optional.of(pending), List.of(pending),
				List.of(CompletableFuture.completedFuture(""), pending), Map.of("a", pending), new Object[] { pending },
				new ArrayList<>(List.of(Stream.of("a"))), Optional.of(List.of(Map.of("a", pending))),
				List.of(List.of(CompletableFuture.completedFuture("")), Optional.of(pending)), anonymous, lambda, task,
				resource);
	}

	@ParameterizedTest
	@MethodSource("complete")
	void completeResultIsReturned(Object result) throws Exception {
		assertThat(this.locks.<Object, RuntimeException>execute(ORDER, () -> result)).isSameAs(result);
		assertThat(this.locks.async().execute(ORDER, () -> CompletableFuture.completedFuture(result)))
			.succeedsWithin(PATIENCE)
			.isSameAs(result);
		assertThat(this.reactive.execute(ORDER, Flux.just(result)).blockLast(PATIENCE)).isSameAs(result);
	}

	static Stream<Arguments> complete() {
		Runnable task = () -> {
		};
		Streamable<String> streamable = List.of("a")::iterator;
		CompletableFuture<String> ended = CompletableFuture.completedFuture("");
		return arguments("text", List.of(), Optional.empty(), new Object[0], Map.of(),
				Arrays.asList(null, new CompletableFuture<>()), ended, ended.minimalCompletionStage(), List.of(ended),
				Page.empty(), streamable, List.of(task), Map.of("a", task), List.of(List.of(ended), "text"),
				List.of("text", new CompletableFuture<>()), new Thread(task), new Unloaded(),
				Collections.unmodifiableList(new Unloaded()));
	}

	private static Stream<Arguments> arguments(Object... results) {
		return Stream.of(results).map((result) -> Arguments.of(Named.of(result.getClass().getName(), result)));
	}

	@Test
	void messageNamesTheLockWhatWasReturnedAndWhatToDo() {
		assertThat(catchThrowable(() -> this.locks.execute(ORDER, () -> Optional.of(new CompletableFuture<>()))))
			.isInstanceOf(IllegalStateException.class)
			.hasMessage("Lock 'order:42' does not protect all of its work, which returned java.util.Optional with"
					+ " java.util.concurrent.CompletableFuture, whose work continues after the lock is released."
					+ " Return its value, or lock the method that does the work. Locked methods, async() and"
					+ " ReactiveLockOperations hold the lock until a CompletableFuture, a Mono or a Flux of it ends.");
	}

	@Test
	void workMayGoOnInsideAnOuterUseOfTheLock() {
		CompletableFuture<Object> work = new CompletableFuture<>();
		CompletableFuture<Object> nested = this.locks.execute(ORDER, () -> {
			assertThat(this.locks.execute(ORDER, () -> Stream.of("a"))).containsExactly("a");
			assertThat(this.locks.async().execute(ORDER, () -> CompletableFuture.completedFuture(Stream.of("a"))))
				.succeedsWithin(PATIENCE);
			return this.locks.async().execute(ORDER, () -> work);
		});
		assertThat(this.locks.isLocked(ORDER)).isTrue();

		work.complete(Stream.of("a"));

		assertRefused(failure(nested));
	}

	@Test
	void workMayGoOnInTheTransactionThatKeepsTheLock() {
		new TransactionTemplate(new ResourcelessTransactions()).executeWithoutResult((status) -> {
			assertThat(this.locks.execute(ORDER, () -> Stream.of("a"))).containsExactly("a");

			assertThat(this.locks.isLocked(ORDER)).isTrue();
		});
	}

	private void assertRefused(@Nullable Throwable failure) {
		assertThat(failure).isInstanceOf(IllegalStateException.class)
			.hasMessageStartingWith("Lock 'order:42' does not protect all of its work, which returned ");
		assertThat(this.locks.isLocked(ORDER)).isFalse();
	}

	private static @Nullable Throwable failure(CompletableFuture<?> future) {
		Throwable failure = catchThrowable(() -> future.get(20, TimeUnit.SECONDS));
		return (failure instanceof ExecutionException) ? failure.getCause() : failure;
	}

	/**
	 * A collection that fails when it is read, as one of Hibernate does after its
	 * session.
	 */
	private static final class Unloaded extends AbstractList<Object> {

		@Override
		public Object get(int index) {
			throw new IllegalStateException("the session has ended");
		}

		@Override
		public int size() {
			throw new IllegalStateException("the session has ended");
		}

	}

}
