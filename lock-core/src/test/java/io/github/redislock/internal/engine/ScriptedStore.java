package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.StoreStatus;
import org.jspecify.annotations.Nullable;

/**
 * A store in which each request waits for a reply from the test.
 */
final class ScriptedStore implements LockStore {

	final List<Question<AcquireReply>> acquires = new CopyOnWriteArrayList<>();

	final List<Question<Boolean>> renews = new CopyOnWriteArrayList<>();

	final List<@Nullable Duration> renewedWithin = new CopyOnWriteArrayList<>();

	/** The number of renewals in each batch. */
	final List<Integer> renewBatches = new CopyOnWriteArrayList<>();

	final List<Question<Boolean>> releases = new CopyOnWriteArrayList<>();

	final List<AcquireRequest> released = new CopyOnWriteArrayList<>();

	/** The fencing token of the last release in the shorter way; 0 if there was none. */
	long quickToken;

	final List<Question<Void>> withdraws = new CopyOnWriteArrayList<>();

	/** For each withdrawal, whether all requests before it had a reply. */
	final List<Boolean> withdrawnAfterReply = new CopyOnWriteArrayList<>();

	final List<Question<Optional<LockState>>> inspects = new CopyOnWriteArrayList<>();

	/** All requests in the order in which they were made. */
	final List<String> log = new CopyOnWriteArrayList<>();

	private @Nullable HandOverListener listener;

	private @Nullable Function<AcquireRequest, CompletionStage<AcquireReply>> acquireReply;

	private boolean releasesAtOnce;

	private Runnable renewAllAction = () -> {
	};

	/**
	 * Reply to requests for a lock immediately.
	 */
	void onAcquire(Function<AcquireRequest, CompletionStage<AcquireReply>> reply) {
		this.acquireReply = reply;
	}

	/**
	 * Confirm every release immediately.
	 */
	void releaseAtOnce() {
		this.releasesAtOnce = true;
	}

	/**
	 * Run an action while several locks are being renewed.
	 */
	void onRenewAll(Runnable action) {
		this.renewAllAction = action;
	}

	/**
	 * Report the lock as handed over to the owner of a request.
	 */
	void handOver(Question<AcquireReply> question, long fencingToken) {
		Objects.requireNonNull(this.listener)
			.handedOver(new HandOver(Objects.requireNonNull(question.requestId()), question.askedAt(), fencingToken));
	}

	/**
	 * Report that it is the turn of a request.
	 */
	void callIn(Question<AcquireReply> question) {
		Objects.requireNonNull(this.listener).turnHasCome(Objects.requireNonNull(question.requestId()));
	}

	/**
	 * Report that from now on hand-overs are announced in another way.
	 */
	void changeWayOfTelling() {
		Objects.requireNonNull(this.listener).changed();
	}

	/**
	 * Report that messages were interrupted, and arrive again.
	 */
	void comeBack() {
		Objects.requireNonNull(this.listener).restored();
	}

	/**
	 * Report that the lock was released by force.
	 */
	void takeByForce(LockTarget target) {
		Objects.requireNonNull(this.listener).takenByForce(target.name());
	}

	/**
	 * Return the only request of a kind.
	 */
	static <T> Question<T> only(List<Question<T>> questions) {
		if (questions.size() != 1) {
			throw new AssertionError("expected one question but there are " + questions);
		}
		return questions.get(0);
	}

	/**
	 * Return the last request of a kind.
	 */
	static <T> Question<T> last(List<Question<T>> questions) {
		return questions.get(questions.size() - 1);
	}

	@Override
	public void listen(HandOverListener listener) {
		this.listener = listener;
	}

	/**
	 * Supports shared locks, unlike the default.
	 */
	@Override
	public List<LockTarget> groups(LockTarget target) {
		return target.isShared() ? List.of(target) : LockStore.super.groups(target);
	}

	@Override
	public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
		CompletionStage<AcquireReply> question = ask("acquire", this.acquires, request.target(), request.owner(),
				request.requestId(), request.timeToLive(), request.attempt().askedAt());
		return (this.acquireReply != null) ? this.acquireReply.apply(request) : question;
	}

	@Override
	public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
		if (renewals.stream().anyMatch((renewal) -> renewal.timeToLive() != null)) {
			this.renewAllAction.run();
			this.renewBatches.add(renewals.size());
		}
		return renewals.stream().map(this::renew).toList();
	}

	private CompletionStage<Boolean> renew(RenewRequest renewal) {
		this.renewedWithin.add(renewal.within());
		LockTarget target = renewal.target();
		String owner = renewal.owner();
		if (renewal.timeToLive() == null) {
			return inspect(target).thenApply((holder) -> holder.isPresent() && holder.get().owner().equals(owner));
		}
		return ask("renew", this.renews, target, owner, null, renewal.timeToLive());
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		this.released.add(granted);
		CompletionStage<Boolean> question = ask("release", this.releases, granted.target(), granted.owner(),
				granted.requestId(), keepFor);
		return this.releasesAtOnce ? CompletableFuture.completedFuture(true) : question;
	}

	@Override
	public CompletionStage<Boolean> releaseQuickly(AcquireRequest granted, long fencingToken) {
		this.quickToken = fencingToken;
		return release(granted, Duration.ZERO);
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor, boolean replied) {
		this.withdrawnAfterReply.add(replied);
		return ask("withdraw", this.withdraws, request.target(), request.owner(), request.requestId(), keepFor);
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return ask("inspect", this.inspects, target, "", null, null);
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target, @Nullable LockState seen) {
		throw new UnsupportedOperationException("no test asks for it");
	}

	@Override
	public StoreStatus status(boolean passing) {
		return StoreStatus.NOTIFIED;
	}

	@Override
	public void close() {
		this.log.add("close");
	}

	private <T> CompletionStage<T> ask(String kind, List<Question<T>> questions, LockTarget target, String owner,
			@Nullable String requestId, @Nullable Duration duration) {
		return ask(kind, questions, target, owner, requestId, duration, 0);
	}

	private <T> CompletionStage<T> ask(String kind, List<Question<T>> questions, LockTarget target, String owner,
			@Nullable String requestId, @Nullable Duration duration, long askedAt) {
		Question<T> question = new Question<>(target, owner, requestId, duration, askedAt, new CompletableFuture<>());
		questions.add(question);
		this.log.add(kind);
		return question.future();
	}

	static LockStoreException failure(boolean retryable, boolean outcomeUnknown) {
		return new LockStoreException(LockTarget.of("order:42"), "no reply", null, retryable, outcomeUnknown);
	}

	/**
	 * A request that waits for its reply.
	 *
	 * @param duration the lease that was requested
	 * @param askedAt the requester's time stamp, if it gave one
	 */
	record Question<T>(LockTarget target, String owner, @Nullable String requestId, @Nullable Duration duration,
			long askedAt, CompletableFuture<T> future) {

		void reply(T reply) {
			this.future.complete(reply);
		}

		/**
		 * The store may or may not have executed the request; a retry may help.
		 */
		void loseReply() {
			this.future.completeExceptionally(failure(true, true));
		}

		/**
		 * The store certainly did not execute the request; a retry may help.
		 */
		void reject() {
			this.future.completeExceptionally(failure(true, false));
		}

		/**
		 * The store certainly did not execute the request, and a retry does not help.
		 */
		void refuseForGood() {
			this.future.completeExceptionally(failure(false, false));
		}

	}

}
