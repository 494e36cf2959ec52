package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

import io.github.redislock.LockException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.store.AcquireAnswer;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.YieldAnswer;
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

	private final QuorumPauses pauses;

	private final QuorumLeftovers leftovers;

	private final OpenAcquisitions acquisitions;

	QuorumLockStore(Quorum quorum) {
		this(quorum, new QuorumPauses());
	}

	QuorumLockStore(Quorum quorum, QuorumPauses pauses) {
		this.quorum = quorum;
		this.pauses = pauses;
		this.leftovers = new QuorumLeftovers(quorum.nodes(), this.pauses);
		this.acquisitions = new OpenAcquisitions(quorum, this.pauses, this.leftovers);
	}

	/**
	 * Create a store on independent servers with {@link RedisLockStoreOptions#quorum()}.
	 * @param connectionFactories where they are and how to log in: an odd number, at
	 * least three, none twice, no Cluster, no Sentinel
	 * @return a new store
	 * @throws IllegalArgumentException if a quorum cannot be made of them
	 */
	public static QuorumLockStore create(List<? extends RedisConnectionFactory> connectionFactories) {
		return create(connectionFactories, RedisLockStoreOptions.quorum());
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
		return tellAll("release", granted, keepFor, (node, rest) -> this.acquisitions.answered(granted, node)
			.thenCompose((answered) -> release(node, granted, rest)), Verdict.majority()).thenApply((ours) -> {
				this.acquisitions.released(granted);
				return ours;
			});
	}

	/**
	 * Let a lock go on one server, and keep it there from taking the lock only later,
	 * which a release does not prevent.
	 */
	private CompletionStage<Boolean> release(QuorumNode node, AcquireRequest granted, Duration keepFor) {
		List<QuorumAcquisition> late = this.acquisitions.inDoubt(granted, node);
		CompletionStage<Boolean> released = node.store().release(granted, keepFor);
		for (QuorumAcquisition question : late) {
			// One after the other: a withdrawal that overtakes the release gives the lock
			// back itself, and the release finds none.
			released = released
				.thenCompose((ours) -> node.store().withdraw(question.question(), keepFor).thenApply((done) -> {
					question.withdrawn(node);
					return ours;
				}));
		}
		return released;
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
		List<AcquireRequest> names = this.acquisitions.names(request);
		return tellAll("withdraw", request, keepFor, (node, rest) -> withdraw(node, names, rest), Verdict.done())
			.thenAccept((done) -> this.acquisitions.withdrawn(request));
	}

	/**
	 * Tell all servers to let go of a lock. When a majority has, nobody asks the others
	 * any more: those that failed are told again in the background.
	 * @param telling of one server, for how long the lock stays closed from now on
	 */
	private CompletionStage<Boolean> tellAll(String operation, AcquireRequest request, Duration keepFor,
			BiFunction<QuorumNode, Duration, CompletionStage<Boolean>> telling, Verdict<Boolean, Boolean> verdict) {
		long closedUntil = this.pauses.nanoTime() + keepFor.toNanos();
		Map<QuorumNode, CompletionStage<Boolean>> replies = new LinkedHashMap<>();
		CompletionStage<Boolean> outcome = this.quorum.ask(operation, request.target(), (node) -> {
			CompletionStage<Boolean> reply = Quorum.answerOf(() -> telling.apply(node, keepFor));
			replies.put(node, reply);
			return reply;
		}, verdict);
		outcome.thenRun(() -> replies.forEach((node, reply) -> reply.exceptionally((failure) -> {
			this.leftovers.add(node, request.timeToLive(),
					() -> telling.apply(node, Duration.ofNanos(Math.max(closedUntil - this.pauses.nanoTime(), 0)))
						.thenAccept((done) -> {
						}));
			return false;
		})));
		return outcome;
	}

	private static CompletionStage<Boolean> withdraw(QuorumNode node, List<AcquireRequest> names, Duration keepFor) {
		CompletionStage<Boolean> withdrawn = CompletableFuture.completedFuture(true);
		for (AcquireRequest name : names) {
			withdrawn = withdrawn.thenCombine(node.store().withdraw(name, keepFor), (before, done) -> true);
		}
		return withdrawn;
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

	/**
	 * Return how many requests are remembered.
	 */
	int openRequests() {
		return this.acquisitions.size();
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target, LockState seen) {
		return this.quorum.ask("force release", target, (node) -> node.store().forceRelease(target, seen),
				QuorumLockStore::taken);
	}

	/**
	 * Any majority that takes a lock away has a server in common with any that tells.
	 */
	@Override
	public boolean tellsOfForce() {
		return this.quorum.nodes().stream().filter((node) -> node.store().tellsOfForce()).count() >= this.quorum
			.majority();
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
	public void suspend() {
		this.quorum.nodes().forEach((node) -> node.store().suspend());
	}

	@Override
	public void resume() {
		this.quorum.nodes().forEach((node) -> node.store().resume());
	}

	@Override
	public void close() {
		this.leftovers.close();
		this.pauses.close();
		this.quorum.nodes().forEach((node) -> node.store().close());
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
		return (cause instanceof LockException said) ? said : new LockStoreException(next.target(),
				"Lock '%s': the quorum failed: %s".formatted(next.target(), cause), cause, false, true);
	}

}
