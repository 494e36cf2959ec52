package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
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
import java.util.stream.Stream;

import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.client.BlockingScriptRunner;
import io.github.redislock.redis.client.Clients;
import io.github.redislock.redis.client.ConnectionSubscriber;
import io.github.redislock.redis.client.JedisLockConnections;
import io.github.redislock.redis.client.LettuceScriptRunner;
import io.github.redislock.redis.client.LettuceSubscriber;
import io.github.redislock.redis.client.LimitedScriptRunner;
import io.github.redislock.redis.client.LockConnectionFactory;
import io.github.redislock.redis.client.LockConnections;
import io.github.redislock.redis.client.RedisAddress;
import io.github.redislock.redis.client.RedisErrors;
import io.github.redislock.redis.client.ReplicationFailure;
import io.github.redislock.redis.client.ScriptRunner;
import io.github.redislock.redis.client.Subscriber;
import io.github.redislock.store.AcquireAnswer;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.YieldAnswer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Keeps locks in Redis, each decision one script call.
 * <p>
 * With Lettuce it opens a connection of its own, so that neither the application's
 * traffic nor its options for commands disturb the locks, and one more for messages when
 * it has granted the first lock; with Jedis it has a small pool of its own. It connects
 * in the background as soon as it is made, and warns if it cannot. With another client,
 * or behind a wrapper, it shares the given connection factory. Both listen for messages
 * only when somebody has to wait. Thread-safe.
 */
public final class RedisLockStore implements LockStore {

	private static final Log logger = LogFactory.getLog(RedisLockStore.class);

	private static final String ASKS_AGAIN = "-";

	private static final String DOES_NOT_WAIT = "";

	private static final String ANY_HOLDER = "";

	private static final int SEED_BYTES = 16;

	private static final int TIMEOUTS_PER_LEASE = 6;

	/** A shorter time-out would only mistake a busy machine for an outage. */
	private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);

	private final Supplier<Link> opener;

	private volatile Link link;

	private volatile @Nullable HandOverListener listener;

	private final LockKeys keys;

	private final ScriptAnswers answers;

	private final Duration commandTimeout;

	private final Duration quarantine;

	private final boolean replicated;

	private final boolean clustered;

	private final boolean listensWhileHolding;

	/**
	 * Create a store.
	 * @param opener connects to Redis, perhaps more than once
	 * @param listensWhileHolding whether a subscription takes no connection from the
	 * locks, so that whoever holds one may have it, too, and not only who waits
	 */
	RedisLockStore(Supplier<Link> opener, RedisLockStoreOptions options, boolean clustered,
			boolean listensWhileHolding) {
		this.clustered = clustered;
		this.listensWhileHolding = listensWhileHolding;
		this.opener = opener;
		this.link = opener.get();
		this.keys = new LockKeys(options.keyPrefix());
		this.answers = new ScriptAnswers(this.keys);
		this.commandTimeout = options.commandTimeout();
		this.quarantine = options.coldStartQuarantine();
		this.replicated = options.minAcks() > 0;
	}

	/**
	 * Create a store in the Redis of a connection factory.
	 * @param connectionFactory where Redis is and how to log in
	 * @param options how to use it
	 * @return a new store
	 * @throws IllegalArgumentException if the options ask for what a Cluster cannot do
	 */
	public static RedisLockStore create(RedisConnectionFactory connectionFactory, RedisLockStoreOptions options) {
		boolean clustered = isCluster(connectionFactory);
		if (clustered && !options.coldStartQuarantine().isZero()) {
			throw new IllegalArgumentException(RedisErrors.NO_QUARANTINE_IN_A_CLUSTER);
		}
		if (Clients.LETTUCE_PRESENT && connectionFactory instanceof LettuceConnectionFactory lettuce
				&& LockConnectionFactory.configurationOf(lettuce) != null) {
			return new RedisLockStore(() -> link(lettuce, options), options, clustered, true);
		}
		if (clustered && options.minAcks() > 0) {
			throw new IllegalArgumentException(RedisErrors.NO_ACKS_IN_THIS_CLUSTER);
		}
		return new RedisLockStore(() -> link(connectionFactory, options), options, clustered, false);
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
	 * Return what says at the start that there is no Redis: nobody else does before the
	 * first lock is needed.
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
	public void listen(HandOverListener listener) {
		HandOverListener told = this.replicated ? new AskingListener(listener) : listener;
		this.listener = listener;
		this.link.renewals().listen(listener);
		this.link.inbox().listen(told);
	}

	/**
	 * There are scripts for each kind of lock.
	 */
	@Override
	public void requireSupported(LockTarget target) {
	}

	/**
	 * Several locks of one slot of a Cluster are acquired together, and without a Cluster
	 * all are: the keys of a script have to lie on one server.
	 */
	@Override
	public List<LockTarget> groups(LockTarget target) {
		return (this.clustered && target.isSeveral()) ? this.keys.groupsOfOneSlot(target) : List.of(target);
	}

	@Override
	public CompletionStage<AcquireAnswer> acquire(AcquireRequest request) {
		LockTarget target = request.target();
		boolean told = isTold(request);
		Duration timeout = timeout(request.timeToLive());
		return run("acquire", LockScripts.of(target).acquire(), target, grantKeys(request),
				arguments(asker(request, told)), timeout, patience(request, timeout),
				(answer) -> ScriptAnswers.isOne(((List<?>) answer).get(0)),
				(answer) -> heard(this.answers.acquire(request, told, (List<?>) answer)));
	}

	@Override
	public CompletionStage<Boolean> renew(LockTarget target, String owner, Duration timeToLive) {
		return renewAll(List.of(new RenewRequest(target, owner, timeToLive))).get(0);
	}

	@Override
	public List<CompletionStage<Boolean>> renewAll(List<RenewRequest> renewals) {
		if (this.listensWhileHolding) {
			this.link.inbox().open();
			this.link.inbox().check();
		}
		return this.link.renewals().send(renewals);
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		LockTarget target = granted.target();
		LockScript script = LockScripts.of(target).release();
		CompletionStage<Boolean> released = run("release", script, target,
				target.isShared() ? keys(granted) : keys(target),
				arguments(granted.owner(), granted.requestId(), millis(keepFor), counted()), this.commandTimeout,
				ScriptAnswers::isOne);
		return target.isSeveral() ? released : released.exceptionally(RedisLockStore::notOurs);
	}

	@Override
	public CompletionStage<YieldAnswer> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		if (next.target().isSeveral()) {
			return LockStore.super.yieldAndAcquire(granted, next);
		}
		boolean told = isTold(next);
		String[] arguments = Stream
			.concat(Stream.of(granted.owner(), granted.requestId()), Arrays.stream(asker(next, told)))
			.toArray(String[]::new);
		return run("acquire", LockScript.YIELD, next.target(), grantKeys(next), arguments(arguments),
				timeout(next.timeToLive()), (answer) -> ScriptAnswers.isOne(((List<?>) answer).get(1)), (answer) -> {
					YieldAnswer yielded = this.answers.yield(next, told, (List<?>) answer);
					heard(yielded.next());
					return yielded;
				})
			.exceptionally((failure) -> {
				if (failure.getCause() instanceof LockStoreException outage
						&& outage.getCause() instanceof ReplicationFailure replication) {
					return ScriptAnswers.notReplicated((List<?>) replication.answer(), outage);
				}
				throw passedOn(failure);
			});
	}

	@Override
	public CompletionStage<Boolean> downgrade(AcquireRequest granted, Duration timeToLive) {
		LockTarget target = granted.target();
		return run("downgrade", LockScript.DOWNGRADE, target, keys(granted),
				arguments(granted.owner(), granted.requestId(), millis(timeToLive), counted()), timeout(timeToLive),
				ScriptAnswers::isOne, ScriptAnswers::isOne)
			.exceptionally(RedisLockStore::notOurs);
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor) {
		return withdraw(request, memory(request.timeToLive()), keepFor);
	}

	@Override
	public CompletionStage<Void> leave(AcquireRequest answered) {
		Duration memory = this.link.scripts().mayArriveTwice() ? memory(answered.timeToLive()) : Duration.ZERO;
		return withdraw(answered, memory, Duration.ZERO);
	}

	private CompletionStage<Void> withdraw(AcquireRequest request, Duration memory, Duration keepFor) {
		return run("withdraw", LockScripts.of(request.target()).withdraw(), request.target(), keys(request),
				arguments(request.owner(), request.requestId(), millis(memory), millis(keepFor), counted()),
				timeout(request.timeToLive()), ScriptAnswers::isOne)
			// Nothing to take back where somebody else's data is.
			.exceptionally(RedisLockStore::notOurs)
			.thenAccept((granted) -> {
			});
	}

	/**
	 * Raise the fencing token of a grant.
	 * @param granted the question that was granted
	 * @param requestId the request that asked it
	 * @param token at least what it shall be
	 * @param seen what this server had given
	 * @return whether the lock is the owner's still
	 */
	public CompletionStage<Boolean> raise(AcquireRequest granted, String requestId, long token, long seen) {
		List<byte[]> keys = granted.target()
			.each()
			.stream()
			.flatMap((lock) -> Stream.of(this.keys.lock(lock), this.keys.fence(lock)))
			.toList();
		return run("acquire", LockScript.RAISE, granted.target(), keys, arguments(granted.owner(), requestId,
				granted.requestId(), Long.toString(token), Long.toString(seen), Integer.toString(granted.tokens())),
				timeout(granted.timeToLive()), ScriptAnswers::isOne);
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return inspect(target, ANY_HOLDER);
	}

	@Override
	public CompletionStage<Boolean> isOwner(LockTarget target, String owner) {
		return target.isSeveral() ? LockStore.super.isOwner(target, owner) : inspect(target, owner)
			.thenApply((holder) -> holder.isPresent() && holder.get().owner().equals(owner));
	}

	private CompletionStage<Optional<LockState>> inspect(LockTarget target, String owner) {
		List<byte[]> keys = List.of(this.keys.lock(target), this.keys.fence(target), this.keys.queue(target),
				this.keys.places(target), this.keys.grants(target));
		return run("inspect", LockScript.INSPECT, target, keys, arguments(owner), this.commandTimeout, (answer) -> {
			List<?> fields = (List<?>) answer;
			return fields.isEmpty() ? Optional.empty() : Optional.of(this.answers.inspect(target, fields));
		});
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target) {
		return forceRelease(target, ANY_HOLDER, false);
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target, LockState seen) {
		return forceRelease(target, seen.owner(), seen.holders() == 1);
	}

	private CompletionStage<Boolean> forceRelease(LockTarget target, String owner, boolean alone) {
		return run("force release", LockScript.FORCE_RELEASE, target, sharedKeys(target),
				arguments(counted(), owner, this.link.inbox().news(), target.name(), alone ? "1" : "0"),
				this.commandTimeout, (answer) -> this.answers.forceRelease(target, (Long) answer));
	}

	@Override
	public boolean tellsOfForce() {
		// In a Cluster, other clients hear of hand-overs only.
		return (this.listensWhileHolding || !this.clustered) && this.link.inbox().isHeard();
	}

	@Override
	public @Nullable String trouble() {
		return this.link.inbox().trouble();
	}

	@Override
	public void suspend() {
		close();
	}

	@Override
	public void resume() {
		this.link = this.opener.get();
		HandOverListener present = this.listener;
		if (present != null) {
			listen(present);
		}
	}

	@Override
	public void close() {
		this.link.inbox().close();
		this.link.scripts().close();
	}

	private <T> CompletableFuture<T> run(String operation, LockScript script, LockTarget target, List<byte[]> keys,
			List<byte[]> arguments, Duration timeout, Function<Object, T> reader) {
		return run(operation, script, target, keys, arguments, timeout, null, reader);
	}

	/**
	 * Run a script, whose answer may count only when replicas have what it wrote.
	 */
	private <T> CompletableFuture<T> run(String operation, LockScript script, LockTarget target, List<byte[]> keys,
			List<byte[]> arguments, Duration timeout, @Nullable Predicate<Object> written, Function<Object, T> reader) {
		return run(operation, script, target, keys, arguments, timeout, this.link.scripts().patience(timeout), written,
				reader);
	}

	private <T> CompletableFuture<T> run(String operation, LockScript script, LockTarget target, List<byte[]> keys,
			List<byte[]> arguments, Duration timeout, Duration patience, @Nullable Predicate<Object> written,
			Function<Object, T> reader) {
		return send(script, keys, arguments, timeout, patience, written).handle((answer, failure) -> {
			if (failure != null) {
				throw RedisErrors.translate(operation, target, text(keys.get(0)), timeout, failure);
			}
			return reader.apply(answer);
		});
	}

	private CompletableFuture<Object> send(LockScript script, List<byte[]> keys, List<byte[]> arguments,
			Duration timeout, Duration patience, @Nullable Predicate<Object> written) {
		try {
			return this.link.scripts().run(script, keys, arguments, timeout, patience, written);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Return the keys of a lock, or of one after the other.
	 */
	private List<byte[]> keys(LockTarget target) {
		if (target.isShared()) {
			return sharedKeys(target);
		}
		return target.each()
			.stream()
			.flatMap((lock) -> Stream.of(this.keys.lock(lock), this.keys.fence(lock), this.keys.queue(lock),
					this.keys.waiters(lock)))
			.toList();
	}

	private List<byte[]> sharedKeys(LockTarget target) {
		return List.of(this.keys.lock(target), this.keys.fence(target), this.keys.queue(target),
				this.keys.waiters(target), this.keys.places(target), this.keys.grants(target));
	}

	private List<byte[]> keys(AcquireRequest request) {
		LockTarget target = request.target();
		List<byte[]> keys = new ArrayList<>(keys(target));
		keys.add(this.keys.cancel(target.each().get(0), request.requestId()));
		return keys;
	}

	/**
	 * Return the keys of a request that may be granted something.
	 */
	private List<byte[]> grantKeys(AcquireRequest request) {
		if (this.quarantine.isZero()) {
			return keys(request);
		}
		List<byte[]> keys = keys(request);
		keys.add(this.keys.since());
		return keys;
	}

	/**
	 * Return whether a message will come when it is the request's turn.
	 */
	private boolean isTold(AcquireRequest request) {
		return request.claim() != null && this.link.inbox().isOpen();
	}

	private String[] asker(AcquireRequest request, boolean told) {
		Duration timeToLive = request.timeToLive();
		Duration claim = request.claim();
		String[] arguments = { request.owner(), request.requestId(),
				millis((timeToLive != null) ? timeToLive : Duration.ZERO), block(request),
				Long.toString(request.askedAt()), millis((claim != null) ? claim : Duration.ZERO),
				(claim != null) ? (told ? this.link.inbox().channel() : ASKS_AGAIN) : DOES_NOT_WAIT, counted() };
		if (this.quarantine.isZero()) {
			return arguments;
		}
		String[] more = Arrays.copyOf(arguments, arguments.length + 1);
		more[arguments.length] = millis(this.quarantine);
		return more;
	}

	/**
	 * Return how many fencing tokens to reserve, or how many may share the lock.
	 */
	private static String block(AcquireRequest request) {
		LockTarget target = request.target();
		return target.isShared() ? "*" + target.maxHolders() : Integer.toString(request.tokens());
	}

	private String counted() {
		return this.link.scripts().countsReceivers() ? "1" : "0";
	}

	/**
	 * Return how long to wait for an answer: a fraction of the lease, so that there is
	 * time to ask again.
	 */
	private Duration timeout(@Nullable Duration timeToLive) {
		return timeout(timeToLive, this.commandTimeout);
	}

	private static Duration timeout(@Nullable Duration timeToLive, Duration commandTimeout) {
		Duration share = (timeToLive != null) ? timeToLive.dividedBy(TIMEOUTS_PER_LEASE) : commandTimeout;
		Duration enough = (share.compareTo(SHORTEST_TIMEOUT) < 0) ? SHORTEST_TIMEOUT : share;
		return (enough.compareTo(commandTimeout) < 0) ? enough : commandTimeout;
	}

	/**
	 * Return within which time a question is sent, or never: a first one that is not
	 * waited for as long as an answer may take has as long as any other request.
	 */
	private Duration patience(AcquireRequest request, Duration timeout) {
		boolean fixed = !request.first() || request.patience().compareTo(this.commandTimeout) >= 0;
		return fixed ? request.patience() : this.link.scripts().patience(timeout);
	}

	/**
	 * Return how long a request that was withdrawn may still arrive: as long as it would
	 * have kept the lock, at most.
	 */
	private static Duration memory(@Nullable Duration timeToLive) {
		Duration longest = ScriptRunner.LONGEST_DELAY;
		return (timeToLive != null && timeToLive.compareTo(longest) < 0) ? timeToLive : longest;
	}

	/**
	 * Listen for messages where somebody waits for one, or may lose a lock by force.
	 */
	private AcquireAnswer heard(AcquireAnswer answer) {
		if (answer instanceof AcquireAnswer.Held held && held.queued()) {
			this.link.inbox().open();
			this.link.inbox().check();
		}
		else if (answer instanceof AcquireAnswer.Granted && this.listensWhileHolding) {
			this.link.inbox().openForHolder();
		}
		return answer;
	}

	/**
	 * Answer that a lock is not its owner's where Redis keeps something else.
	 */
	private static Boolean notOurs(Throwable failure) {
		if (failure.getCause() instanceof LockKeyConflictException) {
			return false;
		}
		throw passedOn(failure);
	}

	private static CompletionException passedOn(Throwable failure) {
		return (failure instanceof CompletionException wrapped) ? wrapped : new CompletionException(failure);
	}

	static String text(byte[] key) {
		return new String(key, StandardCharsets.UTF_8);
	}

	static List<byte[]> arguments(String... arguments) {
		return Arrays.stream(arguments).map((argument) -> argument.getBytes(StandardCharsets.UTF_8)).toList();
	}

	/**
	 * Return whole milliseconds, rounded up: a lock must not live shorter than asked.
	 */
	static String millis(Duration duration) {
		return Long.toString(duration.plusNanos(999_999).toMillis());
	}

	public static boolean isCluster(RedisConnectionFactory connectionFactory) {
		return (Clients.LETTUCE_PRESENT && connectionFactory instanceof LettuceConnectionFactory lettuce
				&& lettuce.isClusterAware())
				|| (Clients.JEDIS_PRESENT && connectionFactory instanceof JedisConnectionFactory jedis
						&& jedis.isRedisClusterAware());
	}

	private static Inbox inbox(RedisLockStoreOptions options, Subscriber subscriber) {
		LockKeys keys = new LockKeys(options.keyPrefix());
		// From the system: copies of this process have all that a generator remembers.
		byte[] seed = new SecureRandom().generateSeed(SEED_BYTES);
		return new Inbox(keys.inbox(UUID.nameUUIDFromBytes(seed).toString()), keys.news(), subscriber);
	}

	/**
	 * What leads to Redis, with an inbox that no other process has.
	 */
	record Link(ScriptRunner scripts, Inbox inbox, Renewals renewals) {

		static Link of(ScriptRunner runner, Inbox inbox, RedisLockStoreOptions options) {
			return of(runner, inbox, options, System::nanoTime);
		}

		static Link of(ScriptRunner runner, Inbox inbox, RedisLockStoreOptions options, LongSupplier nanoTime) {
			ScriptRunner scripts = new LimitedScriptRunner(runner, nanoTime);
			return new Link(scripts, inbox, new Renewals(scripts, new LockKeys(options.keyPrefix()),
					(timeToLive) -> timeout(timeToLive, options.commandTimeout()), nanoTime));
		}

	}

}
