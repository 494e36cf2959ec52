package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.Futures;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.StoreStatus;
import io.github.redislock.store.YieldReply;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Keeps locks on several independent Redis servers, a majority of which decides. Locks
 * survive the loss of a minority.
 * <p>
 * All servers are asked at once. An acquisition, a renewal or a release does not wait for
 * slow or dead servers once a majority agrees. A fencing token is written to a majority
 * before a caller gets it, so tokens grow no matter which majority replies next. There is
 * no queue: waiting callers poll, and any of them may get the lock after a release.
 * Thread-safe.
 */
public final class QuorumLockStore implements LockStore {

	private final Quorum quorum;

	private final Supplier<QuorumPauses> pauses;

	private volatile Session session;

	private volatile boolean closed;

	/**
	 * Create a store.
	 * @param pauses creates the pauses; called now, and again if a closed store is used
	 * again
	 */
	QuorumLockStore(Quorum quorum, Supplier<QuorumPauses> pauses) {
		this.quorum = quorum;
		this.pauses = pauses;
		this.session = Session.begin(quorum, pauses.get());
	}

	/**
	 * Create a store on independent servers with {@link RedisLockStoreOptions#quorum()}.
	 * @param connectionFactories the addresses and credentials of the servers: an odd
	 * number of at least three different servers, without Cluster or Sentinel
	 * @return a new store
	 * @throws IllegalArgumentException if the servers cannot form a quorum
	 */
	public static QuorumLockStore create(List<? extends RedisConnectionFactory> connectionFactories) {
		return create(connectionFactories, RedisLockStoreOptions.quorum());
	}

	/**
	 * Create a store on independent servers.
	 * @param connectionFactories the addresses and credentials of the servers: an odd
	 * number of at least three different servers, without Cluster or Sentinel
	 * @param options how to use each server; the command timeout is how long to wait for
	 * one server
	 * @return a new store
	 * @throws IllegalArgumentException if the servers cannot form a quorum
	 */
	public static QuorumLockStore create(List<? extends RedisConnectionFactory> connectionFactories,
			RedisLockStoreOptions options) {
		return new QuorumLockStore(
				new Quorum(QuorumNodes.create(connectionFactories, options), options.commandTimeout()),
				QuorumPauses::new);
	}

	@Override
	public void listen(HandOverListener listener) {
		if (this.closed) {
			this.session = Session.begin(this.quorum, this.pauses.get());
			this.closed = false;
		}
		this.quorum.nodes().forEach((node) -> node.store().listen(listener));
	}

	/**
	 * Each server decides on several locks at once. Shared locks are not supported.
	 */
	@Override
	public List<LockTarget> groups(LockTarget target) {
		return target.isShared() ? LockStore.super.groups(target) : List.of(target);
	}

	@Override
	public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
		return this.session.acquisitions().ask(request);
	}

	@Override
	public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
		List<List<CompletionStage<Boolean>>> byNode = this.quorum.nodes()
			.stream()
			.map((node) -> renew(node, renewals))
			.toList();
		return IntStream.range(0, renewals.size()).<CompletionStage<Boolean>>mapToObj((index) -> {
			RenewRequest renewal = renewals.get(index);
			String operation = (renewal.timeToLive() != null) ? "renew" : "verify";
			return Votes.collect(this.quorum, operation, renewal.target(),
					byNode.stream().map((replies) -> replies.get(index)).toList(), Votes::agreed);
		}).toList();
	}

	/**
	 * Renew locks on one server. If the request cannot be sent, all returned futures
	 * fail.
	 */
	private static List<CompletionStage<Boolean>> renew(QuorumNode node, List<RenewRequest> renewals) {
		try {
			return node.store().renew(renewals);
		}
		catch (RuntimeException ex) {
			return Collections.nCopies(renewals.size(), CompletableFuture.failedFuture(ex));
		}
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		OpenAcquisitions acquisitions = this.session.acquisitions();
		return tellAll("release", granted, keepFor, (node, rest) -> acquisitions.replied(granted, node)
			.thenCompose((replied) -> release(node, granted, rest)), Votes::agreed).thenApply((ours) -> {
				acquisitions.released(granted);
				return ours;
			});
	}

	/**
	 * Release a lock on one server, and prevent a late attempt from acquiring it again
	 * there.
	 */
	private CompletionStage<Boolean> release(QuorumNode node, AcquireRequest granted, Duration keepFor) {
		List<QuorumAcquisition> late = this.session.acquisitions().inDoubt(granted, node);
		CompletionStage<Boolean> released = node.store().release(granted, keepFor);
		for (QuorumAcquisition attempt : late) {
			// The order matters: if the withdrawal overtook the release, it would release
			// the lock itself, and the release would not find it.
			released = released
				.thenCompose((ours) -> node.store().withdraw(attempt.sent(), keepFor, false).thenApply((done) -> {
					attempt.withdrawn(node);
					return ours;
				}));
		}
		return released;
	}

	/**
	 * Release the lock and ask for it again after a moment. Because there is no queue,
	 * other callers have a chance only while the lock is free.
	 */
	@Override
	public CompletionStage<YieldReply> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		return release(granted, Duration.ZERO).thenApply((released) -> {
			CompletableFuture<AcquireReply> reply = new CompletableFuture<>();
			QuorumPauses pauses = this.session.pauses();
			pauses.after(pauses.toYield(), () -> Futures.relay(Futures.attempt(() -> acquire(next)), reply));
			return new YieldReply(released, reply);
		});
	}

	/**
	 * Withdraw a request. The servers always remember the withdrawal, because an
	 * acquisition completes with the replies of a majority, and may still arrive at the
	 * other servers.
	 */
	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor, boolean replied) {
		OpenAcquisitions acquisitions = this.session.acquisitions();
		List<AcquireRequest> names = acquisitions.names(request);
		return tellAll("withdraw", request, keepFor, (node, rest) -> withdraw(node, names, rest), Votes::done)
			.thenAccept((done) -> acquisitions.withdrawn(request));
	}

	/**
	 * Ask all servers to release a lock, or to withdraw a request for it. A majority
	 * decides. Once it has decided, servers that failed are asked again in the
	 * background.
	 * @param telling sends the request to one server; receives the time for which the
	 * server keeps the lock locked
	 */
	private CompletionStage<Boolean> tellAll(String operation, AcquireRequest request, Duration keepFor,
			BiFunction<QuorumNode, Duration, CompletionStage<Boolean>> telling,
			Function<Votes<Boolean>, @Nullable Boolean> decision) {
		Session present = this.session;
		QuorumPauses pauses = present.pauses();
		long closedUntil = pauses.nanoTime() + keepFor.toNanos();
		Map<QuorumNode, CompletionStage<Boolean>> replies = new LinkedHashMap<>();
		CompletionStage<Boolean> outcome = Votes.ask(this.quorum, operation, request.target(), (node) -> {
			CompletionStage<Boolean> reply = Futures.attempt(() -> telling.apply(node, keepFor));
			replies.put(node, reply);
			return reply;
		}, decision);
		outcome.thenRun(() -> replies.forEach((node, reply) -> reply.exceptionally((failure) -> {
			present.leftovers()
				.add(node, request.timeToLive(),
						() -> telling.apply(node, Duration.ofNanos(Math.max(closedUntil - pauses.nanoTime(), 0)))
							.thenAccept((done) -> {
							}));
			return false;
		})));
		return outcome;
	}

	private static CompletionStage<Boolean> withdraw(QuorumNode node, List<AcquireRequest> names, Duration keepFor) {
		CompletionStage<Boolean> withdrawn = CompletableFuture.completedFuture(true);
		for (AcquireRequest name : names) {
			withdrawn = withdrawn.thenCombine(node.store().withdraw(name, keepFor, false), (before, done) -> true);
		}
		return withdrawn;
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return Votes.ask(this.quorum, "inspect", target, (node) -> node.store().inspect(target),
				QuorumLockStore::holder);
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target, @Nullable LockState seen) {
		return Votes.ask(this.quorum, "force release", target, (node) -> node.store().forceRelease(target, seen),
				QuorumLockStore::taken);
	}

	int openRequests() {
		return this.session.acquisitions().size();
	}

	/**
	 * Return the status of all servers together. This process counts as notified of
	 * forced releases if a majority notifies it, because that majority shares a server
	 * with every majority that forces a release.
	 */
	@Override
	public StoreStatus status(boolean passing) {
		int telling = 0;
		List<String> troubles = new ArrayList<>();
		for (QuorumNode node : this.quorum.nodes()) {
			StoreStatus status = node.store().status(passing);
			telling += status.notifiedOfForce() ? 1 : 0;
			if (status.trouble() != null) {
				troubles.add(node + ": " + status.trouble());
			}
		}
		return new StoreStatus(telling >= this.quorum.majority(),
				troubles.isEmpty() ? null : String.join("; ", troubles));
	}

	@Override
	public void close() {
		this.closed = true;
		this.session.leftovers().close();
		this.session.pauses().close();
		this.quorum.nodes().forEach((node) -> node.store().close());
	}

	private static @Nullable Optional<LockState> holder(Votes<Optional<LockState>> votes) {
		int majority = votes.majority();
		Optional<HolderByVotes> first = HolderByVotes.of(votes.received().stream().flatMap(Optional::stream).toList());
		int most = first.map(HolderByVotes::votes).orElse(0);
		if (most >= majority) {
			// A server that has not replied yet may know a longer lease.
			return (votes.missing() == 0) ? first.map((holder) -> holder.state(majority, 0)) : null;
		}
		return (most + votes.unknown() < majority) ? Optional.empty() : null;
	}

	/**
	 * Return whether a lock was taken from its holder, or {@code null} if that is not
	 * decided yet. If no majority agrees in the end, one server that took the lock is
	 * enough.
	 */
	private static @Nullable Boolean taken(Votes<Boolean> votes) {
		int majority = votes.majority();
		int holders = votes.count(Boolean.TRUE::equals);
		if (holders >= majority) {
			return true;
		}
		if (votes.count(Boolean.FALSE::equals) >= majority) {
			return false;
		}
		return (votes.missing() == 0 && votes.received().size() >= majority) ? Boolean.TRUE : null;
	}

	/**
	 * The state and background work of the store until it is closed.
	 */
	private record Session(QuorumPauses pauses, QuorumLeftovers leftovers, OpenAcquisitions acquisitions) {

		static Session begin(Quorum quorum, QuorumPauses pauses) {
			QuorumLeftovers leftovers = new QuorumLeftovers(quorum.nodes(), pauses);
			return new Session(pauses, leftovers, new OpenAcquisitions(quorum, pauses, leftovers));
		}

	}

}
