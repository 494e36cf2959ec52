package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.Clients;
import io.github.redislock.internal.client.LockConnectionFactory;
import io.github.redislock.internal.client.RedisErrors;
import io.github.redislock.internal.client.ReplicationFailure;
import io.github.redislock.internal.client.Script;
import io.github.redislock.internal.client.ScriptCall;
import io.github.redislock.internal.client.ScriptRunner;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.Futures;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.StoreStatus;
import io.github.redislock.store.YieldReply;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.Assert;

/**
 * Keeps locks in Redis. Lua scripts, which Redis runs atomically, decide whether a lock
 * is acquired, renewed or released.
 * <p>
 * With Lettuce, the store opens its own connection, with its own timeouts. It opens a
 * second connection for messages when a lock is first granted, or when a caller first has
 * to wait. With Jedis, it uses a separate small pool. In both cases, it connects in the
 * background as soon as it is created, and logs a warning if that fails. With any other
 * client, or if the connection factory is a wrapper, a scoped proxy or a subclass of
 * Jedis's, the store uses that factory's connections, which is logged. With Jedis and
 * other clients, it does not subscribe to messages just because a lock was granted.
 * Thread-safe.
 */
public final class RedisLockStore implements LockStore {

	/**
	 * The number of fields before the messages in the reply to a yield after which
	 * another owner has the lock.
	 */
	private static final int REFUSED_YIELD = 6;

	private final Supplier<Link> opener;

	private volatile Link link;

	private final LockKeys keys;

	private final ScriptCalls calls;

	private final ScriptReplies replies;

	private final RedisLockStoreOptions options;

	private final boolean clustered;

	private final boolean listensWhileHolding;

	/** Whether the shorter script may acquire uncontended locks. */
	private final boolean quick;

	private volatile boolean closed;

	/**
	 * Create a store.
	 * @param opener connects to Redis; called now, and again if a closed store is used
	 * again
	 * @param listensWhileHolding whether to subscribe when a lock is granted, and not
	 * only when a caller has to wait; {@code true} if the subscription does not use up a
	 * connection of the locks
	 * @param votes whether the store is part of a quorum and has to remember each grant,
	 * because the quorum may raise the grant's fencing token
	 */
	RedisLockStore(Supplier<Link> opener, RedisLockStoreOptions options, boolean clustered, boolean listensWhileHolding,
			boolean votes) {
		this.clustered = clustered;
		this.listensWhileHolding = listensWhileHolding;
		this.opener = opener;
		this.link = opener.get();
		this.keys = new LockKeys(options.keyPrefix());
		this.calls = new ScriptCalls(this.keys, options);
		this.replies = new ScriptReplies(this.keys);
		this.options = options;
		this.quick = !votes && options.coldStartQuarantine().isZero() && options.minAcks() == 0;
	}

	/**
	 * Create a store that keeps its locks in the Redis of a connection factory.
	 * @param connectionFactory the address and credentials of Redis
	 * @param options how the store uses Redis
	 * @return a new store
	 * @throws IllegalArgumentException if Redis is a Cluster, and the options require
	 * something that does not work in a Cluster with this client
	 */
	public static RedisLockStore create(RedisConnectionFactory connectionFactory, RedisLockStoreOptions options) {
		return create(Clients.behindProxies(connectionFactory), options, false);
	}

	/**
	 * Create a store for one of the servers of a quorum.
	 * @param connectionFactory the address and credentials of Redis
	 * @param options how the store uses Redis
	 * @return a new store
	 * @throws IllegalArgumentException if Redis is a Cluster, and the options require
	 * something that does not work in a Cluster with this client
	 */
	public static RedisLockStore createVoter(RedisConnectionFactory connectionFactory, RedisLockStoreOptions options) {
		return create(connectionFactory, options, true);
	}

	private static RedisLockStore create(RedisConnectionFactory connectionFactory, RedisLockStoreOptions options,
			boolean votes) {
		Assert.notNull(connectionFactory, "connectionFactory must not be null");
		Assert.notNull(options, "options must not be null");
		boolean clustered = isCluster(connectionFactory);
		if (clustered && !options.coldStartQuarantine().isZero()) {
			throw new IllegalArgumentException(RedisErrors.NO_QUARANTINE_IN_A_CLUSTER);
		}
		if (Clients.LETTUCE_PRESENT && connectionFactory instanceof LettuceConnectionFactory lettuce
				&& LockConnectionFactory.configurationOf(lettuce) != null) {
			return new RedisLockStore(() -> Link.open(lettuce, options), options, clustered, true, votes);
		}
		if (clustered && options.minAcks() > 0) {
			throw new IllegalArgumentException(RedisErrors.NO_ACKS_IN_THIS_CLUSTER);
		}
		return new RedisLockStore(() -> Link.open(connectionFactory, options, votes), options, clustered, false, votes);
	}

	@Override
	public void listen(HandOverListener listener) {
		if (this.closed) {
			this.link = this.opener.get();
			this.closed = false;
		}
		this.link.inbox().listen(listener, this.options.minAcks() > 0);
	}

	/**
	 * Supports all kinds of locks. In a Cluster, only locks in the same slot are acquired
	 * together, because all keys of a script have to be in one slot.
	 */
	@Override
	public List<LockTarget> groups(LockTarget target) {
		return (this.clustered && target.isSeveral()) ? this.keys.groupsOfOneSlot(target) : List.of(target);
	}

	@Override
	public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
		Operation operation = operation("acquire", request);
		return mayBeQuick(request) ? acquireQuickly(operation, request)
				: acquire(operation, request, operation.timeout());
	}

	/**
	 * Return whether to run the shorter script first. It handles the first request for a
	 * single exclusive lock, unless the store is part of a quorum, has a quarantine or
	 * waits for replicas. The lock must have a lease of more than two microseconds per
	 * fencing token, the owner token must end with the request id, and the connection
	 * must not send requests twice. Locks that may have been contended within the last
	 * second are excluded.
	 */
	private boolean mayBeQuick(AcquireRequest request) {
		LockTarget target = request.target();
		Duration timeToLive = request.timeToLive();
		return this.quick && request.attempt().first() && !target.isShared() && !target.isSeveral()
				&& timeToLive != null && timeToLive.compareTo(Duration.ofNanos(request.tokens() * 2_000L)) > 0
				&& request.isKnownByItsOwner() && !this.link.scripts().mayArriveTwice()
				&& this.link.quick().isLikely(target.name());
	}

	/**
	 * Try to acquire a lock with the shorter script. If that is not enough, run the
	 * script for all cases.
	 */
	private CompletionStage<AcquireReply> acquireQuickly(Operation operation, AcquireRequest request) {
		QuickLocks quick = this.link.quick();
		QuickLocks.Request<AcquireReply> sent = new QuickLocks.Request<>(operation, this.calls.acquireQuickly(request),
				(reply) -> {
					AcquireReply acquired = this.replies.acquireQuickly(request, reply);
					subscribeAfter(acquired);
					return acquired;
				}, (rest) -> {
					quick.noteContended(request.target().name());
					return acquire(operation, request, rest);
				});
		Duration timeout = operation.timeout();
		return quick.send(sent, mayWaitForReply(request) ? timeout : this.link.scripts().sendTimeout(timeout));
	}

	/**
	 * Acquire a lock with the script for all cases.
	 * @param rest how much of the operation's timeout is left
	 */
	private CompletionStage<AcquireReply> acquire(Operation operation, AcquireRequest request, Duration rest) {
		boolean notified = isNotified(request);
		ScriptCall call = this.calls.acquire(request, channel(), !notified, counted());
		CompletableFuture<Object> sent = this.link.limited()
			.run(call, rest, sendTimeout(request, rest), (reply) -> ScriptReplies.isOne(((List<?>) reply).get(0)));
		return operation.read(call, sent, (reply) -> acquired(request, notified, (List<?>) reply));
	}

	@Override
	public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
		if (this.listensWhileHolding) {
			this.link.inbox().open();
		}
		if (renewals.size() == 1 && renewals.get(0).timeToLive() == null) {
			return List.of(isOwner(renewals.get(0)));
		}
		return renewals.stream().allMatch(RedisLockStore::isBatchable) ? this.link.renewing().send(renewals)
				: renewals.stream().map((renewal) -> renew(List.of(renewal)).get(0)).toList();
	}

	/**
	 * Return whether the script for many renewals can handle the request. That script
	 * cannot check a shared lock without setting a new lease.
	 */
	private static boolean isBatchable(RenewRequest renewal) {
		return renewal.timeToLive() != null || !renewal.target().isShared();
	}

	private CompletionStage<Boolean> isOwner(RenewRequest asked) {
		return inspect(asked.target(), asked.owner())
			.thenApply((holder) -> holder.isPresent() && asked.owner().equals(holder.get().owner()));
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		return release(granted, keepFor, this.options.commandTimeout());
	}

	@Override
	public CompletionStage<Boolean> releaseQuickly(AcquireRequest granted, long fencingToken) {
		Duration timeout = this.options.commandTimeout();
		if (this.link.scripts().mayArriveTwice()) {
			return release(granted, Duration.ZERO, timeout);
		}
		// Redis does not remember the release of an uncontended lock, so a second copy of
		// the request does not find the owner. Therefore, a lock always counts as
		// released if the request may have been sent twice.
		return this.link.quick()
			.send(new QuickLocks.Request<>(new Operation("release", granted.target(), timeout),
					this.calls.releaseQuickly(granted, fencingToken), (released) -> Boolean.TRUE,
					(rest) -> release(granted, Duration.ZERO, rest)
						.thenApply((ours) -> ours || this.link.scripts().mayArriveTwice())),
					timeout);
	}

	private CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor, Duration timeout) {
		Operation operation = new Operation("release", granted.target(), timeout);
		ScriptCall call = this.calls.release(granted, keepFor, counted());
		Predicate<Object> reader = (reply) -> ScriptReplies.isOne(this.link.published(reply, 1).get(0));
		// Of several locks, some may be ours although a key of another one is foreign.
		return granted.target().isSeveral() ? this.link.run(operation, call, null, reader::test)
				: this.link.runForOwner(operation, call, null, reader);
	}

	@Override
	public CompletionStage<YieldReply> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		if (next.target().isSeveral()) {
			return LockStore.super.yieldAndAcquire(granted, next);
		}
		boolean notified = isNotified(next);
		Operation operation = operation("acquire", next);
		return this.link.run(operation, this.calls.yield(granted, next, channel(), !notified, counted()),
				(reply) -> ScriptReplies.isOne(((List<?>) reply).get(1)), (reply) -> {
					List<?> fields = this.link.published(reply, REFUSED_YIELD);
					// An error of the acquisition must not hide the release.
					return yielded(fields, Futures.attempt(() -> CompletableFuture
						.completedFuture(acquired(next, notified, fields.subList(1, fields.size())))));
				})
			.exceptionally((failure) -> {
				if (failure.getCause() instanceof LockStoreException outage
						&& outage.getCause() instanceof ReplicationFailure replication) {
					return yielded((List<?>) replication.reply(), CompletableFuture.failedFuture(outage));
				}
				throw (CompletionException) failure;
			});
	}

	private static YieldReply yielded(List<?> reply, CompletionStage<AcquireReply> next) {
		return new YieldReply(ScriptReplies.isOne(reply.get(0)), next);
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor, boolean replied) {
		boolean neverLate = replied && !this.link.scripts().mayArriveTwice();
		// Refuse the request for its lease, but only while a copy of it may still arrive.
		Duration longest = ScriptRunner.LONGEST_DELAY;
		Duration refuseFor = neverLate ? Duration.ZERO
				: Durations.min(Objects.requireNonNullElse(request.timeToLive(), longest), longest);
		// If the key holds data of another program, there is no grant to take back.
		Operation operation = operation("withdraw", request);
		return this.link
			.runForOwner(operation, this.calls.withdraw(request, channel(), refuseFor, keepFor, counted()), null,
					ScriptReplies::isOne)
			.thenAccept((granted) -> {
			});
	}

	/**
	 * Raise the fencing token of a grant.
	 * @param raise the script that raises the token
	 * @param granted the attempt that was granted
	 * @param requestId the request to which the attempt belongs
	 * @param token the token that the servers agreed on, which is the minimum to set
	 * @param seen the token that this server granted
	 * @return whether the owner still holds the lock
	 * @hidden
	 */
	public CompletionStage<Boolean> raise(Script raise, AcquireRequest granted, String requestId, long token,
			long seen) {
		return this.link.run(operation("acquire", granted), this.calls.raise(raise, granted, requestId, token, seen),
				null, ScriptReplies::isOne);
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return inspect(target, ScriptCalls.ANY_OWNER);
	}

	private CompletionStage<Optional<LockState>> inspect(LockTarget target, String owner) {
		Operation operation = new Operation("inspect", target, this.options.commandTimeout());
		return this.link.run(operation, this.calls.inspect(target, owner), null, (reply) -> {
			List<?> fields = (List<?>) reply;
			return fields.isEmpty() ? Optional.empty() : Optional.of(this.replies.inspect(target, fields));
		});
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target, @Nullable LockState seen) {
		String owner = (seen != null) ? Objects.requireNonNull(seen.owner()) : ScriptCalls.ANY_OWNER;
		boolean alone = seen != null && seen.holders() == 1;
		return this.link.run(new Operation("force release", target, this.options.commandTimeout()),
				this.calls.forceRelease(target, owner, alone, counted()), null,
				(reply) -> this.replies.forceRelease(target, (Long) this.link.published(reply, 1).get(0)));
	}

	@Override
	public StoreStatus status(boolean passing) {
		Inbox inbox = this.link.inbox();
		// In a Cluster, clients other than Lettuce receive only hand-overs.
		boolean mayListen = this.listensWhileHolding || !this.clustered;
		return passing ? new StoreStatus(mayListen && inbox.isActive(), null)
				: new StoreStatus(mayListen && inbox.isOpen(), inbox.trouble());
	}

	@Override
	public void close() {
		this.closed = true;
		this.link.close();
	}

	private Operation operation(String name, AcquireRequest request) {
		return new Operation(name, request.target(), this.options.timeout(request.timeToLive()));
	}

	/**
	 * Return whether the request gets a message that its turn has come.
	 */
	private boolean isNotified(AcquireRequest request) {
		return request.claim() != null && this.link.inbox().isOpen();
	}

	private String channel() {
		return this.link.inbox().channel();
	}

	private boolean counted() {
		return this.link.scripts().countsReceivers();
	}

	/**
	 * Return how long a request may wait to be sent before it fails. The first request of
	 * a caller may wait for the default time, even if the caller waits for a shorter
	 * time.
	 */
	private Duration sendTimeout(AcquireRequest request, Duration timeout) {
		return (!request.attempt().first() || mayWaitForReply(request)) ? request.attempt().sendTimeout()
				: this.link.scripts().sendTimeout(timeout);
	}

	/**
	 * Return whether the caller waits at least until the store's own timeout.
	 */
	private boolean mayWaitForReply(AcquireRequest request) {
		return request.attempt().sendTimeout().compareTo(this.options.commandTimeout()) >= 0;
	}

	private AcquireReply acquired(AcquireRequest request, boolean notified, List<?> reply) {
		AcquireReply acquired = this.replies.acquire(request, notified, reply);
		subscribeAfter(acquired);
		return acquired;
	}

	/**
	 * Subscribe if the request was queued, or if it was granted and holders subscribe
	 * too.
	 */
	private void subscribeAfter(@Nullable AcquireReply reply) {
		if (reply instanceof AcquireReply.Held held && held.queued()) {
			this.link.inbox().open();
		}
		else if (reply instanceof AcquireReply.Granted && this.listensWhileHolding) {
			this.link.inbox().openForHolder();
		}
	}

	/**
	 * Return whether a connection factory connects to a Cluster.
	 * @param connectionFactory the address and credentials of Redis
	 * @return {@code true} if the factory is known to connect to a Cluster
	 */
	public static boolean isCluster(RedisConnectionFactory connectionFactory) {
		return (Clients.LETTUCE_PRESENT && connectionFactory instanceof LettuceConnectionFactory lettuce
				&& lettuce.isClusterAware())
				|| (Clients.JEDIS_PRESENT && connectionFactory instanceof JedisConnectionFactory jedis
						&& jedis.isRedisClusterAware());
	}

}
