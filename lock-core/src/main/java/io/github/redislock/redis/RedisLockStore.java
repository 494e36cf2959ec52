package io.github.redislock.redis;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.redislock.LockException;
import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.redis.BlockingScriptRunner;
import io.github.redislock.internal.redis.Clients;
import io.github.redislock.internal.redis.ConnectionSubscriber;
import io.github.redislock.internal.redis.JedisLockConnections;
import io.github.redislock.internal.redis.LettuceScriptRunner;
import io.github.redislock.internal.redis.LettuceSubscriber;
import io.github.redislock.internal.redis.LimitedScriptRunner;
import io.github.redislock.internal.redis.LockConnectionFactory;
import io.github.redislock.internal.redis.LockConnections;
import io.github.redislock.internal.redis.RedisAddress;
import io.github.redislock.internal.redis.RedisErrors;
import io.github.redislock.internal.redis.ReplicationFailure;
import io.github.redislock.internal.redis.Script;
import io.github.redislock.internal.redis.ScriptCall;
import io.github.redislock.internal.redis.ScriptRunner;
import io.github.redislock.internal.redis.Subscriber;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.StoreStatus;
import io.github.redislock.store.YieldReply;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Keeps locks in Redis. Lua scripts, which Redis runs atomically, decide whether a lock
 * is acquired, renewed or released.
 * <p>
 * With Lettuce, the store opens its own connection, so that neither the application's
 * traffic nor its command options affect the locks. It opens a second connection for
 * messages when a lock is first granted, or when a caller first has to wait. With Jedis,
 * it uses a separate small pool. In both cases, it connects in the background as soon as
 * it is created, and logs a warning if that fails. With any other client, or if the
 * connection factory is a wrapper, the store uses that factory's connections. With Jedis
 * and other clients, it subscribes to messages only when a caller first has to wait.
 * Thread-safe.
 */
public final class RedisLockStore implements LockStore {

	private static final Log logger = LogFactory.getLog(RedisLockStore.class);

	private static final int SEED_BYTES = 16;

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
		return create(connectionFactory, options, false);
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
		boolean clustered = isCluster(connectionFactory);
		if (clustered && !options.coldStartQuarantine().isZero()) {
			throw new IllegalArgumentException(RedisErrors.NO_QUARANTINE_IN_A_CLUSTER);
		}
		if (Clients.LETTUCE_PRESENT && connectionFactory instanceof LettuceConnectionFactory lettuce
				&& LockConnectionFactory.configurationOf(lettuce) != null) {
			return new RedisLockStore(() -> link(lettuce, options), options, clustered, true, votes);
		}
		if (clustered && options.minAcks() > 0) {
			throw new IllegalArgumentException(RedisErrors.NO_ACKS_IN_THIS_CLUSTER);
		}
		return new RedisLockStore(() -> link(connectionFactory, options), options, clustered, false, votes);
	}

	private static Link link(LettuceConnectionFactory application, RedisLockStoreOptions options) {
		LockConnectionFactory own = Objects
			.requireNonNull(LockConnectionFactory.deriveFrom(application, options.client()));
		return Link.of(new LettuceScriptRunner(own, options.client(), unavailable(application, options)),
				inbox(options, new LettuceSubscriber(own)), options);
	}

	private static Link link(RedisConnectionFactory application, RedisLockStoreOptions options) {
		LockConnections connections = connections(application, options);
		Inbox inbox = inbox(options, new ConnectionSubscriber(connections));
		return Link.of(new BlockingScriptRunner(connections, options.client(), inbox::unanswered,
				unavailable(application, options)), inbox, options);
	}

	/**
	 * Return a callback that logs that Redis is not available. Without it, an outage at
	 * startup would go unnoticed until the first lock is requested.
	 */
	private static Consumer<Throwable> unavailable(RedisConnectionFactory application, RedisLockStoreOptions options) {
		return (failure) -> logger.warn("No lock can be acquired yet from Redis at '%s': %s"
			.formatted(RedisAddress.of(application), RedisErrors.describe(failure, options.commandTimeout())));
	}

	private static LockConnections connections(RedisConnectionFactory connectionFactory,
			RedisLockStoreOptions options) {
		LockConnections own = (Clients.JEDIS_PRESENT && connectionFactory instanceof JedisConnectionFactory jedis)
				? JedisLockConnections.deriveFrom(jedis, options.client()) : null;
		return (own != null) ? own : LockConnections.of(connectionFactory);
	}

	@Override
	public Consumer<String> listen(HandOverListener listener) {
		if (this.closed) {
			this.link = this.opener.get();
			this.closed = false;
		}
		HandOverListener told = (this.options.minAcks() > 0) ? new AskingListener(listener) : listener;
		this.link.renewing().listen(listener);
		this.link.inbox().listen(told);
		return this::tellAll;
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
		return mayBeQuick(request) ? take(request) : ask(request, this.options.timeout(request.timeToLive()));
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
		return this.quick && request.first() && !target.isShared() && !target.isSeveral() && timeToLive != null
				&& timeToLive.compareTo(Duration.ofNanos(request.tokens() * 2_000L)) > 0 && request.isKnownByItsOwner()
				&& !this.link.scripts().mayArriveTwice() && this.link.quick().isLikely(target.name());
	}

	/**
	 * Try to acquire a lock with the shorter script. If the lock is contended, run the
	 * script for all cases.
	 */
	private CompletionStage<AcquireReply> take(AcquireRequest request) {
		Duration timeout = this.options.timeout(request.timeToLive());
		return this.link.quick()
			.ask(this.calls.take(request, (reply) -> taken(request, reply), (rest) -> askAmongOthers(request, rest),
					(failure) -> translated("acquire", request.target(), timeout, failure)), timeout,
					hasPatience(request) ? timeout : this.link.scripts().patience(timeout));
	}

	private CompletionStage<AcquireReply> askAmongOthers(AcquireRequest request, Duration rest) {
		this.link.quick().noteWanted(request.target().name());
		return ask(request, rest);
	}

	private @Nullable AcquireReply taken(AcquireRequest request, Object reply) {
		AcquireReply taken = this.replies.take(request, reply);
		return (taken != null) ? heard(taken) : null;
	}

	private CompletionStage<AcquireReply> ask(AcquireRequest request, Duration rest) {
		byte[] inbox = inboxFor(request);
		return run("acquire", request.target(), this.calls.acquire(request, inbox, counted()),
				this.options.timeout(request.timeToLive()), rest, patience(request, rest),
				(reply) -> ScriptReplies.isOne(((List<?>) reply).get(0)),
				(reply) -> heard(this.replies.acquire(request, inbox != null, (List<?>) reply)));
	}

	@Override
	public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
		if (this.listensWhileHolding) {
			this.link.inbox().open();
		}
		if (renewals.size() == 1 && !isPlain(renewals.get(0))) {
			return List.of(renewAlone(renewals.get(0)));
		}
		for (RenewRequest renewal : renewals) {
			if (!isBatchable(renewal)) {
				return renewals.stream().map((each) -> renew(List.of(each)).get(0)).toList();
			}
		}
		return this.link.renewing().send(renewals);
	}

	/**
	 * Return whether the request only sets a new lease.
	 */
	private static boolean isPlain(RenewRequest renewal) {
		return renewal.timeToLive() != null && renewal.downgraded() == null;
	}

	/**
	 * Return whether the script for many renewals can handle the request. That script
	 * cannot check a shared lock without setting a new lease.
	 */
	private static boolean isBatchable(RenewRequest renewal) {
		return isPlain(renewal) || (renewal.timeToLive() == null && !renewal.target().isShared());
	}

	/**
	 * Downgrade a lock, or only check that the owner still holds it.
	 */
	private CompletionStage<Boolean> renewAlone(RenewRequest renewal) {
		LockTarget target = renewal.target();
		String owner = renewal.owner();
		Duration timeToLive = renewal.timeToLive();
		String downgraded = renewal.downgraded();
		if (timeToLive == null || downgraded == null) {
			return inspect(target, owner)
				.thenApply((holder) -> holder.isPresent() && owner.equals(holder.get().owner()));
		}
		AcquireRequest granted = new AcquireRequest(target, owner, downgraded, timeToLive);
		Duration timeout = this.options.timeout(renewal);
		return runForOwner("downgrade", target, this.calls.downgrade(granted, timeToLive, counted()), timeout,
				ScriptReplies::isOne, ScriptReplies::isOne);
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		Duration timeout = this.options.commandTimeout();
		if (granted.quickToken() == 0 || !keepFor.isZero() || this.link.scripts().mayArriveTwice()) {
			return releaseToNext(granted, keepFor, timeout);
		}
		return this.link.quick()
			.ask(this.calls.releaseQuickly(granted,
					(rest) -> releaseToNext(granted, keepFor, rest).thenApply(this::mayBeReleased),
					(failure) -> translated("release", granted.target(), timeout, failure)), timeout, timeout);
	}

	/**
	 * Return whether a lock counts as released. Redis does not remember the release of an
	 * uncontended lock, so a second copy of the request does not find the owner.
	 * Therefore, a lock always counts as released if the request may have been sent
	 * twice.
	 */
	private boolean mayBeReleased(boolean released) {
		return released || this.link.scripts().mayArriveTwice();
	}

	private CompletionStage<Boolean> releaseToNext(AcquireRequest granted, Duration keepFor, Duration timeout) {
		LockTarget target = granted.target();
		ScriptCall call = this.calls.release(granted, keepFor, counted());
		Predicate<Object> reader = (reply) -> ScriptReplies.isOne(published(reply, 1).get(0));
		return target.isSeveral() ? run("release", target, call, timeout, reader::test)
				: runForOwner("release", target, call, timeout, null, reader);
	}

	@Override
	public CompletionStage<YieldReply> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		if (next.target().isSeveral()) {
			return LockStore.super.yieldAndAcquire(granted, next);
		}
		byte[] inbox = inboxFor(next);
		Duration timeout = this.options.timeout(next.timeToLive());
		return run("acquire", next.target(), this.calls.yield(granted, next, inbox, counted()), timeout, timeout,
				this.link.scripts().patience(timeout), (reply) -> ScriptReplies.isOne(((List<?>) reply).get(1)),
				(reply) -> {
					YieldReply yielded = this.replies.yield(next, inbox != null, published(reply, REFUSED_YIELD));
					heard(yielded.next());
					return yielded;
				})
			.exceptionally((failure) -> {
				if (failure.getCause() instanceof LockStoreException outage
						&& outage.getCause() instanceof ReplicationFailure replication) {
					return ScriptReplies.notReplicated((List<?>) replication.reply(), outage);
				}
				throw (failure instanceof CompletionException wrapped) ? wrapped : new CompletionException(failure);
			});
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor, boolean replied) {
		boolean neverLate = replied && !this.link.scripts().mayArriveTwice();
		Duration refuseFor = neverLate ? Duration.ZERO : refuseFor(request.timeToLive());
		// If the key holds data of another program, there is no grant to take back.
		return runForOwner("withdraw", request.target(), this.calls.withdraw(request, refuseFor, keepFor, counted()),
				this.options.timeout(request.timeToLive()), null, ScriptReplies::isOne)
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
	 */
	public CompletionStage<Boolean> raise(Script raise, AcquireRequest granted, String requestId, long token,
			long seen) {
		return run("acquire", granted.target(), this.calls.raise(raise, granted, requestId, token, seen),
				this.options.timeout(granted.timeToLive()), ScriptReplies::isOne);
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return inspect(target, ScriptCalls.ANY_OWNER);
	}

	private CompletionStage<Optional<LockState>> inspect(LockTarget target, String owner) {
		return run("inspect", target, this.calls.inspect(target, owner), this.options.commandTimeout(), (reply) -> {
			List<?> fields = (List<?>) reply;
			return fields.isEmpty() ? Optional.empty() : Optional.of(this.replies.inspect(target, fields));
		});
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target, @Nullable LockState seen) {
		String owner = (seen != null) ? Objects.requireNonNull(seen.owner()) : ScriptCalls.ANY_OWNER;
		boolean alone = seen != null && seen.holders() == 1;
		return run("force release", target, this.calls.forceRelease(target, owner, alone, counted()),
				this.options.commandTimeout(),
				(reply) -> this.replies.forceRelease(target, (Long) published(reply, 1).get(0)));
	}

	@Override
	public StoreStatus status(boolean passing) {
		Inbox inbox = this.link.inbox();
		// In a Cluster, clients other than Lettuce receive only hand-overs.
		boolean mayHear = this.listensWhileHolding || !this.clustered;
		return passing ? StoreStatus.of(mayHear && inbox.isHeard(), null)
				: StoreStatus.of(mayHear && inbox.isOpen(), inbox.trouble());
	}

	@Override
	public void close() {
		this.closed = true;
		this.link.inbox().close();
		this.link.scripts().close();
	}

	/**
	 * Publish the messages at the end of a reply. The script was not allowed to publish
	 * them, because some services bind its channels to the slot of its keys.
	 * @param size the number of fields before the messages
	 */
	private List<?> published(Object reply, int size) {
		List<?> fields = (List<?>) reply;
		for (int place = size; place < fields.size(); place++) {
			String[] message = LockKeys.text((byte[]) fields.get(place)).split(" ", 2);
			this.link.scripts().publish(message[0], message[1]);
		}
		return fields;
	}

	private void tellAll(String message) {
		this.link.scripts().publish(this.keys.news(), InboxMessage.notice(message));
	}

	private <T> CompletableFuture<T> run(String operation, LockTarget target, ScriptCall call, Duration timeout,
			Function<Object, T> reader) {
		return run(operation, target, call, timeout, timeout, this.link.scripts().patience(timeout), null, reader);
	}

	/**
	 * Run a script that returns whether an owner holds or held a lock. The result is
	 * {@code false} if the key holds something that is not a lock.
	 */
	private CompletableFuture<Boolean> runForOwner(String operation, LockTarget target, ScriptCall call,
			Duration timeout, @Nullable Predicate<Object> written, Predicate<Object> reader) {
		return send(call, timeout, this.link.scripts().patience(timeout), written).handle((reply, failure) -> {
			if (failure == null) {
				return reader.test(reply);
			}
			LockException said = translated(operation, target, call, timeout, failure);
			if (said instanceof LockKeyConflictException) {
				return false;
			}
			throw said;
		});
	}

	/**
	 * Run a script, and wait for replicas if necessary.
	 * @param timeout the whole timeout, for failure messages
	 * @param rest how much of the timeout is left
	 */
	private <T> CompletableFuture<T> run(String operation, LockTarget target, ScriptCall call, Duration timeout,
			Duration rest, Duration patience, @Nullable Predicate<Object> written, Function<Object, T> reader) {
		return send(call, rest, patience, written).handle((reply, failure) -> {
			if (failure != null) {
				throw translated(operation, target, call, timeout, failure);
			}
			return reader.apply(reply);
		});
	}

	private LockException translated(String operation, LockTarget target, Duration timeout, Throwable failure) {
		return RedisErrors.translate(operation, target, LockKeys.text(this.keys.lock(target)), timeout, failure);
	}

	private static LockException translated(String operation, LockTarget target, ScriptCall call, Duration timeout,
			Throwable failure) {
		return RedisErrors.translate(operation, target, LockKeys.text(call.keys().get(0)), timeout, failure);
	}

	private CompletableFuture<Object> send(ScriptCall call, Duration timeout, Duration patience,
			@Nullable Predicate<Object> written) {
		try {
			return this.link.scripts().run(call, timeout, patience, written);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Return the channel for the message that the request's turn has come, or
	 * {@code null} if the request gets no message.
	 */
	private byte @Nullable [] inboxFor(AcquireRequest request) {
		Inbox inbox = this.link.inbox();
		return (request.claim() != null && inbox.isOpen()) ? inbox.address() : null;
	}

	private boolean counted() {
		return this.link.scripts().countsReceivers();
	}

	/**
	 * Return how long a request may wait to be sent before it fails. The first request of
	 * a caller may wait for the default time, even if the caller waits for a shorter
	 * time.
	 */
	private Duration patience(AcquireRequest request, Duration timeout) {
		boolean fixed = !request.first() || hasPatience(request);
		return fixed ? request.patience() : this.link.scripts().patience(timeout);
	}

	private boolean hasPatience(AcquireRequest request) {
		return request.patience().compareTo(this.options.commandTimeout()) >= 0;
	}

	/**
	 * Return how long to refuse a withdrawn request: for its lease, but at most for
	 * {@link ScriptRunner#LONGEST_DELAY}.
	 */
	private static Duration refuseFor(@Nullable Duration timeToLive) {
		return (timeToLive != null) ? Durations.min(timeToLive, ScriptRunner.LONGEST_DELAY)
				: ScriptRunner.LONGEST_DELAY;
	}

	/**
	 * Subscribe if the request was queued, or if it was granted and holders subscribe
	 * too, and return the reply.
	 */
	private AcquireReply heard(AcquireReply reply) {
		if (reply instanceof AcquireReply.Held held && held.queued()) {
			this.link.inbox().open();
		}
		else if (reply instanceof AcquireReply.Granted && this.listensWhileHolding) {
			this.link.inbox().openForHolder();
		}
		return reply;
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

	private static Inbox inbox(RedisLockStoreOptions options, Subscriber subscriber) {
		LockKeys keys = new LockKeys(options.keyPrefix());
		// Use the system's entropy, because copies of this process would share the state
		// of a random generator.
		byte[] seed = new SecureRandom().generateSeed(SEED_BYTES);
		return new Inbox(keys.inbox(UUID.nameUUIDFromBytes(seed).toString()), keys.news(), subscriber);
	}

	/**
	 * The connections to Redis, with an inbox for this process only.
	 */
	record Link(ScriptRunner scripts, Inbox inbox, BatchSender renewing, QuickLocks quick) {

		static Link of(ScriptRunner runner, Inbox inbox, RedisLockStoreOptions options) {
			return of(runner, inbox, options, System::nanoTime);
		}

		static Link of(ScriptRunner runner, Inbox inbox, RedisLockStoreOptions options, LongSupplier nanoTime) {
			ScriptRunner scripts = new LimitedScriptRunner(runner, nanoTime);
			return new Link(scripts, inbox, new BatchSender(scripts, options, nanoTime),
					new QuickLocks(scripts, nanoTime));
		}

	}

}
