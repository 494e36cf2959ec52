package io.github.redislock.annotation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Function;

import io.github.redislock.LockMode;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.OnLost;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.scheduling.annotation.Async;

/**
 * Locked methods of every kind, each with the same variants.
 */
final class LockedMethodKinds {

	static final String INSTEAD = "instead";

	private LockedMethodKinds() {
	}

	/**
	 * A bean whose methods all return one type. Implementations only define the type.
	 *
	 * @param <R> what they return
	 */
	interface Methods<R> {

		R start(ControlledWork work);

		R instead(String key, ControlledWork work, LockNotAcquiredException busy);

		@DistributedLock(name = "kinds", key = "#key", waitTime = "1m")
		default R patient(String key, ControlledWork work) {
			return start(work);
		}

		@DistributedLock(name = "kinds", key = "#key", waitTime = "1m", mode = LockMode.READ)
		default R reading(String key, ControlledWork work) {
			return start(work);
		}

		@DistributedLock(name = "kinds", key = "#key", waitTime = "1m", permits = "2")
		default R counted(String key, ControlledWork work) {
			return start(work);
		}

		@DistributedLock(name = "kinds", key = "#key", waitTime = "200ms")
		default R impatient(String key, ControlledWork work) {
			return start(work);
		}

		@DistributedLock(name = "kinds", key = "#key", retry = 0, fallback = "instead")
		default R replaced(String key, ControlledWork work) {
			return start(work);
		}

		@DistributedLock(name = "kinds", key = "#key", waitTime = "1m", timeout = "900ms")
		default R shortLived(String key, ControlledWork work) {
			return start(work);
		}

		@DistributedLock(name = "kinds", key = "#key", waitTime = "1m", timeout = "900ms", onLost = OnLost.INTERRUPT)
		default R interrupted(String key, ControlledWork work) {
			return start(work);
		}

		@DistributedLock(name = "kinds", key = "#key", waitTime = "1m", timeout = "900ms", onLost = OnLost.IGNORE)
		default R careless(String key, ControlledWork work) {
			return start(work);
		}

	}

	/**
	 * The same methods, with calls that may be skipped.
	 *
	 * @param <R> what they return
	 */
	interface SkippableMethods<R> extends Methods<R> {

		@DistributedLock(name = "kinds", key = "#key", ifLocked = IfLocked.SKIP)
		default R skipped(String key, ControlledWork work) {
			return start(work);
		}

	}

	static class Futures implements SkippableMethods<CompletableFuture<String>> {

		@Override
		public CompletableFuture<String> start(ControlledWork work) {
			return work.begin();
		}

		@Override
		public CompletableFuture<String> instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return CompletableFuture.completedFuture(INSTEAD);
		}

	}

	static class Stages implements SkippableMethods<CompletionStage<String>> {

		@Override
		public CompletionStage<String> start(ControlledWork work) {
			return work.begin();
		}

		@Override
		public CompletionStage<String> instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return CompletableFuture.completedFuture(INSTEAD);
		}

	}

	/** An asynchronous method must declare the type of its future itself. */
	@Async
	static class Workers implements SkippableMethods<CompletableFuture<String>> {

		@Override
		public CompletableFuture<String> start(ControlledWork work) {
			try {
				return CompletableFuture.completedFuture(work.run());
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public CompletableFuture<String> instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return CompletableFuture.completedFuture(INSTEAD);
		}

		@Override
		public CompletableFuture<String> patient(String key, ControlledWork work) {
			return SkippableMethods.super.patient(key, work);
		}

		@Override
		public CompletableFuture<String> reading(String key, ControlledWork work) {
			return SkippableMethods.super.reading(key, work);
		}

		@Override
		public CompletableFuture<String> counted(String key, ControlledWork work) {
			return SkippableMethods.super.counted(key, work);
		}

		@Override
		public CompletableFuture<String> impatient(String key, ControlledWork work) {
			return SkippableMethods.super.impatient(key, work);
		}

		@Override
		public CompletableFuture<String> replaced(String key, ControlledWork work) {
			return SkippableMethods.super.replaced(key, work);
		}

		@Override
		public CompletableFuture<String> shortLived(String key, ControlledWork work) {
			return SkippableMethods.super.shortLived(key, work);
		}

		@Override
		public CompletableFuture<String> interrupted(String key, ControlledWork work) {
			return SkippableMethods.super.interrupted(key, work);
		}

		@Override
		public CompletableFuture<String> careless(String key, ControlledWork work) {
			return SkippableMethods.super.careless(key, work);
		}

		@Override
		public CompletableFuture<String> skipped(String key, ControlledWork work) {
			return SkippableMethods.super.skipped(key, work);
		}

	}

	/**
	 * Methods that return a publisher in another form.
	 *
	 * @param <R> what they return
	 */
	abstract static class Converted<R> implements SkippableMethods<R> {

		private final Function<Publisher<String>, R> form;

		Converted(Function<Publisher<String>, R> form) {
			this.form = form;
		}

		@Override
		public R start(ControlledWork work) {
			return this.form.apply(Mono.fromFuture(work.begin()));
		}

		@Override
		public R instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return this.form.apply(Mono.just(INSTEAD));
		}

	}

	static class Monos extends Converted<Mono<String>> {

		Monos() {
			super(Mono::from);
		}

	}

	static class Publishers extends Converted<Publisher<String>> {

		Publishers() {
			super((publisher) -> publisher);
		}

	}

	static class FlowPublishers extends Converted<Flow.Publisher<String>> {

		FlowPublishers() {
			super(JdkFlowAdapter::publisherToFlowPublisher);
		}

	}

	static class Maybes extends Converted<Maybe<String>> {

		Maybes() {
			super(Maybe::fromPublisher);
		}

	}

	/** Has no result. */
	static class Completables extends Converted<Completable> {

		Completables() {
			super(Completable::fromPublisher);
		}

	}

	static class Observables extends Converted<Observable<String>> {

		Observables() {
			super(Observable::fromPublisher);
		}

	}

	static class Flowables extends Converted<Flowable<String>> {

		Flowables() {
			super(Flowable::fromPublisher);
		}

	}

	static class Fluxes implements SkippableMethods<Flux<String>> {

		@Override
		public Flux<String> start(ControlledWork work) {
			return Flux.concat(Mono.fromFuture(work.begin()), Mono.just("!"));
		}

		@Override
		public Flux<String> instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return Flux.just(INSTEAD, "!");
		}

	}

	/** Its calls cannot be skipped, because no value of the type is empty. */
	static class Singles implements Methods<Single<String>> {

		@Override
		public Single<String> start(ControlledWork work) {
			return Single.fromPublisher(Mono.fromFuture(work.begin()));
		}

		@Override
		public Single<String> instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return Single.just(INSTEAD);
		}

	}

	/** A blocking method, for comparison. */
	static class Blocking implements SkippableMethods<@Nullable String> {

		@Override
		public @Nullable String start(ControlledWork work) {
			try {
				return work.run();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public String instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return INSTEAD;
		}

	}

}
