package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

import io.github.redislock.LockException;
import io.github.redislock.LockState;
import io.github.redislock.LockStore;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Keeps locks on several independent Redis servers, more than half of which decide: the
 * loss of a minority is not noticed.
 * <p>
 * All servers are asked at once, and nobody waits for those that are slow or dead once a
 * majority has answered. A fencing token is written to a majority before anybody is told
 * of it, so tokens grow whichever majority answers next. There is no queue: who waits
 * asks again and again, and whoever asks first after a release has the lock. Thread-safe.
 */
public final class QuorumLockStore implements LockStore {

	private final Quorum quorum;

	private final QuorumPauses pauses = new QuorumPauses();

	private final OpenAcquisitions acquisitions;

	QuorumLockStore(Quorum quorum) {
		this.quorum = quorum;
		this.acquisitions = new OpenAcquisitions(quorum, this.pauses);
	}

	/**
	 * Create a store on independent servers.
	 * @param connectionFactories where they are and how to log in: an odd number, at
	 * least three, none twice, no Cluster
	 * @param options how to use each of them; the command time-out is how long to wait
	 * for one server
	 * @return a new store
	 * @throws IllegalArgumentException if a quorum cannot be made of them
	 */
	public static QuorumLockStore create(List<? extends RedisConnectionFactory> connectionFactories,
			RedisLockStoreOptions options) {
		return new QuorumLockStore(
				new Quorum(QuorumNodes.create(connectionFactories, options), options.commandTimeout()));
	}

	@Override
	public void listen(HandOverListener listener) {
		this.quorum.nodes().forEach((node) -> node.store().listen(listener));
	}

	/**
	 * Each server decides for all locks at once.
	 */
	@Override
	public List<LockTarget> groups(LockTarget target) {
		return List.of(target);
	}

	@Override
	public CompletionStage<AcquireAnswer> acquire(AcquireRequest request) {
		return this.acquisitions.ask(request);
	}

	@Override
	public CompletionStage<Boolean> renew(LockTarget target, String owner, Duration timeToLive) {
		return renewAll(List.of(new RenewRequest(target, owner, timeToLive))).get(0);
	}

	@Override
	public List<CompletionStage<Boolean>> renewAll(List<RenewRequest> renewals) {
		List<List<CompletionStage<Boolean>>> byNode = this.quorum.nodes()
			.stream()
			.map((node) -> node.store().renewAll(renewals))
			.toList();
		return IntStream.range(0, renewals.size())
			.<CompletionStage<Boolean>>mapToObj((index) -> this.quorum.collect("renew", renewals.get(index).target(),
					byNode.stream().map((answers) -> answers.get(index)).toList(), Verdict.majority()))
			.toList();
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		QuorumAcquisition last = this.acquisitions.of(granted);
		return this.quorum.ask("release", granted.target(), (node) -> {
			if (last != null && last.isInDoubt(node)) {
				// It may take the lock only later, which a release cannot prevent.
				return node.store().withdraw(last.question(), keepFor).thenApply((done) -> Released.PERHAPS_OURS);
			}
			return node.store().release(granted, keepFor).thenApply((ours) -> ours ? Released.OURS : Released.NOT_OURS);
		}, QuorumLockStore::released).thenApply((ours) -> {
			this.acquisitions.forget(granted);
			return ours;
		});
	}

	/**
	 * Let the lock go and ask anew after a moment: there is no queue, so that others have
	 * a chance only while it is free.
	 */
	@Override
	public CompletionStage<YieldAnswer> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		return release(granted, Duration.ZERO).thenCompose((released) -> {
			CompletableFuture<YieldAnswer> answer = new CompletableFuture<>();
			this.pauses.after(this.pauses.toYield(),
					() -> acquire(next).whenComplete((acquired, failure) -> answer.complete(new YieldAnswer(released,
							(failure != null) ? new AcquireAnswer.Failed(failed(next, failure)) : acquired))));
			return answer;
		});
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor) {
		QuorumAcquisition last = this.acquisitions.of(request);
		AcquireRequest question = (last != null) ? last.question() : request;
		return this.quorum
			.ask("withdraw", request.target(),
					(node) -> node.store().withdraw(question, keepFor).thenApply((done) -> true), Verdict.done())
			.thenAccept((done) -> this.acquisitions.forget(request));
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return this.quorum.ask("inspect", target, (node) -> node.store().inspect(target), QuorumLockStore::holder);
	}

	@Override
	public CompletionStage<Boolean> isOwner(LockTarget target, String owner) {
		return this.quorum.ask("verify", target, (node) -> node.store().isOwner(target, owner), Verdict.majority());
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target) {
		return this.quorum.ask("force release", target, (node) -> node.store().forceRelease(target),
				QuorumLockStore::taken);
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target, String owner) {
		return this.quorum.ask("force release", target, (node) -> node.store().forceRelease(target, owner),
				QuorumLockStore::taken);
	}

	@Override
	public @Nullable String trouble() {
		return this.quorum.nodes()
			.stream()
			.filter((node) -> node.store().trouble() != null)
			.map((node) -> node + ": " + node.store().trouble())
			.reduce((one, other) -> one + "; " + other)
			.orElse(null);
	}

	@Override
	public void close() {
		this.pauses.close();
		this.quorum.nodes().forEach((node) -> node.store().close());
	}

	private static @Nullable Boolean released(Replies<Released> replies) {
		if (replies.count((reply) -> reply != Released.NOT_OURS) >= replies.quorum().majority()) {
			return true;
		}
		boolean notOurs = replies.quorum().isEnoughToPrevent(replies.count(Released.NOT_OURS::equals));
		return notOurs ? Boolean.FALSE : null;
	}

	private static @Nullable Optional<LockState> holder(Replies<Optional<LockState>> replies) {
		int majority = replies.quorum().majority();
		Optional<HolderByVotes> first = HolderByVotes
			.of(replies.received().stream().flatMap(Optional::stream).toList());
		int votes = first.map(HolderByVotes::votes).orElse(0);
		if (votes >= majority) {
			// One that has not answered yet may know of a longer lease.
			return (replies.missing() == 0) ? first.map((holder) -> holder.state(majority, 0)) : null;
		}
		return (votes + replies.unknown() < majority) ? Optional.empty() : null;
	}

	/**
	 * Return whether a lock was taken from somebody; a few votes of somebody who has not
	 * won are worth nothing.
	 */
	private static @Nullable Boolean taken(Replies<Boolean> replies) {
		int majority = replies.quorum().majority();
		int holders = replies.count(Boolean.TRUE::equals);
		if (holders >= majority) {
			return true;
		}
		if (replies.count(Boolean.FALSE::equals) >= majority) {
			return false;
		}
		return (replies.missing() == 0 && replies.received().size() >= majority) ? (Boolean) (holders > 0) : null;
	}

	private static LockException failed(AcquireRequest next, Throwable failure) {
		Throwable cause = QuorumFailures.unwrap(failure);
		return (cause instanceof LockException said) ? said : new LockStoreException(next.target().name(),
				"Lock '%s': the quorum failed: %s".formatted(next.target(), cause), cause, false, true);
	}

	/**
	 * What one server says to a release.
	 */
	private enum Released {

		OURS, NOT_OURS, PERHAPS_OURS

	}

}
