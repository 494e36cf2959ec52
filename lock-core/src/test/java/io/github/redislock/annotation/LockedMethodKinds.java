package io.github.redislock.annotation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

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
	 * A bean whose methods all return one type.
	 *
	 * @param <R> what they return
	 */
	interface Methods<R> {

		@DistributedLock(name = "kinds", key = "#key", waitTime = "1m")
		R patient(String key, ControlledWork work);

		@DistributedLock(name = "kinds", key = "#key", waitTime = "1m", mode = LockMode.READ)
		R reading(String key, ControlledWork work);

		@DistributedLock(name = "kinds", key = "#key", waitTime = "1m", permits = "2")
		R counted(String key, ControlledWork work);

		@DistributedLock(name = "kinds", key = "#key", waitTime = "200ms")
		R impatient(String key, ControlledWork work);

		@DistributedLock(name = "kinds", key = "#key", retry = 0, fallback = "instead")
		R replaced(String key, ControlledWork work);

		@DistributedLock(name = "kinds", key = "#key", waitTime = "1m", timeout = "900ms")
		R shortLived(String key, ControlledWork work);

		@DistributedLock(name = "kinds", key = "#key", waitTime = "1m", timeout = "900ms", onLost = OnLost.INTERRUPT)
		R interrupted(String key, ControlledWork work);

		@DistributedLock(name = "kinds", key = "#key", waitTime = "1m", timeout = "900ms", onLost = OnLost.IGNORE)
		R careless(String key, ControlledWork work);

	}

	/**
	 * The same methods, with calls that may be skipped.
	 *
	 * @param <R> what they return
	 */
	interface SkippableMethods<R> extends Methods<R> {

		@DistributedLock(name = "kinds", key = "#key", ifLocked = IfLocked.SKIP)
		R skipped(String key, ControlledWork work);

	}

	/**
	 * Implements all variants. Subclasses only define the type.
	 *
	 * @param <R> what they return
	 */
	abstract static class Base<R> implements Methods<R> {

		abstract R start(ControlledWork work);

		abstract R instead(String key, ControlledWork work, LockNotAcquiredException busy);

		@Override
		public R patient(String key, ControlledWork work) {
			return start(work);
		}

		@Override
		public R reading(String key, ControlledWork work) {
			return start(work);
		}

		@Override
		public R counted(String key, ControlledWork work) {
			return start(work);
		}

		@Override
		public R impatient(String key, ControlledWork work) {
			return start(work);
		}

		@Override
		public R replaced(String key, ControlledWork work) {
			return start(work);
		}

		@Override
		public R shortLived(String key, ControlledWork work) {
			return start(work);
		}

		@Override
		public R interrupted(String key, ControlledWork work) {
			return start(work);
		}

		@Override
		public R careless(String key, ControlledWork work) {
			return start(work);
		}

	}

	abstract static class SkippableBase<R> extends Base<R> implements SkippableMethods<R> {

		@Override
		public R skipped(String key, ControlledWork work) {
			return start(work);
		}

	}

	static class Futures extends SkippableBase<CompletableFuture<String>> {

		@Override
		CompletableFuture<String> start(ControlledWork work) {
			return work.begin();
		}

		@Override
		CompletableFuture<String> instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return CompletableFuture.completedFuture(INSTEAD);
		}

	}

	static class Stages extends SkippableBase<CompletionStage<String>> {

		@Override
		CompletionStage<String> start(ControlledWork work) {
			return work.begin();
		}

		@Override
		CompletionStage<String> instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return CompletableFuture.completedFuture(INSTEAD);
		}

	}

	/** An asynchronous method must declare the type of its future itself. */
	@Async
	static class Workers extends SkippableBase<CompletableFuture<String>> {

		@Override
		CompletableFuture<String> start(ControlledWork work) {
			try {
				return CompletableFuture.completedFuture(work.run());
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		CompletableFuture<String> instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return CompletableFuture.completedFuture(INSTEAD);
		}

		@Override
		public CompletableFuture<String> patient(String key, ControlledWork work) {
			return super.patient(key, work);
		}

		@Override
		public CompletableFuture<String> reading(String key, ControlledWork work) {
			return super.reading(key, work);
		}

		@Override
		public CompletableFuture<String> counted(String key, ControlledWork work) {
			return super.counted(key, work);
		}

		@Override
		public CompletableFuture<String> impatient(String key, ControlledWork work) {
			return super.impatient(key, work);
		}

		@Override
		public CompletableFuture<String> replaced(String key, ControlledWork work) {
			return super.replaced(key, work);
		}

		@Override
		public CompletableFuture<String> shortLived(String key, ControlledWork work) {
			return super.shortLived(key, work);
		}

		@Override
		public CompletableFuture<String> interrupted(String key, ControlledWork work) {
			return super.interrupted(key, work);
		}

		@Override
		public CompletableFuture<String> careless(String key, ControlledWork work) {
			return super.careless(key, work);
		}

		@Override
		public CompletableFuture<String> skipped(String key, ControlledWork work) {
			return super.skipped(key, work);
		}

	}

	static class Monos extends SkippableBase<Mono<String>> {

		@Override
		Mono<String> start(ControlledWork work) {
			return Mono.fromFuture(work.begin());
		}

		@Override
		Mono<String> instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return Mono.just(INSTEAD);
		}

	}

	static class Fluxes extends SkippableBase<Flux<String>> {

		@Override
		Flux<String> start(ControlledWork work) {
			return Flux.concat(Mono.fromFuture(work.begin()), Mono.just("!"));
		}

		@Override
		Flux<String> instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return Flux.just(INSTEAD, "!");
		}

	}

	static class Publishers extends SkippableBase<Publisher<String>> {

		@Override
		Publisher<String> start(ControlledWork work) {
			return Mono.fromFuture(work.begin());
		}

		@Override
		Publisher<String> instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return Mono.just(INSTEAD);
		}

	}

	static class FlowPublishers extends SkippableBase<Flow.Publisher<String>> {

		@Override
		Flow.Publisher<String> start(ControlledWork work) {
			return JdkFlowAdapter.publisherToFlowPublisher(Mono.fromFuture(work.begin()));
		}

		@Override
		Flow.Publisher<String> instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return JdkFlowAdapter.publisherToFlowPublisher(Mono.just(INSTEAD));
		}

	}

	/** Its calls cannot be skipped, because no value of the type is empty. */
	static class Singles extends Base<Single<String>> {

		@Override
		Single<String> start(ControlledWork work) {
			return Single.fromPublisher(Mono.fromFuture(work.begin()));
		}

		@Override
		Single<String> instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return Single.just(INSTEAD);
		}

	}

	static class Maybes extends SkippableBase<Maybe<String>> {

		@Override
		Maybe<String> start(ControlledWork work) {
			return Maybe.fromPublisher(Mono.fromFuture(work.begin()));
		}

		@Override
		Maybe<String> instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return Maybe.just(INSTEAD);
		}

	}

	/** Has no result. */
	static class Completables extends SkippableBase<Completable> {

		@Override
		Completable start(ControlledWork work) {
			return Completable.fromPublisher(Mono.fromFuture(work.begin()));
		}

		@Override
		Completable instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return Completable.complete();
		}

	}

	static class Observables extends SkippableBase<Observable<String>> {

		@Override
		Observable<String> start(ControlledWork work) {
			return Observable.fromPublisher(Mono.fromFuture(work.begin()));
		}

		@Override
		Observable<String> instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return Observable.just(INSTEAD);
		}

	}

	static class Flowables extends SkippableBase<Flowable<String>> {

		@Override
		Flowable<String> start(ControlledWork work) {
			return Flowable.fromPublisher(Mono.fromFuture(work.begin()));
		}

		@Override
		Flowable<String> instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return Flowable.just(INSTEAD);
		}

	}

	/** A blocking method, for comparison. */
	static class Blocking extends SkippableBase<@Nullable String> {

		@Override
		@Nullable String start(ControlledWork work) {
			try {
				return work.run();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		String instead(String key, ControlledWork work, LockNotAcquiredException busy) {
			return INSTEAD;
		}

	}

}
