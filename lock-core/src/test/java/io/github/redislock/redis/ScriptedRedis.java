package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.ScriptCall;
import io.github.redislock.internal.client.Subscriber.Events;
import io.github.redislock.internal.client.Subscriber.Subscription;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.AcquireRequest.Attempt;
import org.jspecify.annotations.Nullable;

/**
 * A Redis that records the scripts and subscriptions of stores, and replies when a test
 * says so. Runs in virtual time.
 */
final class ScriptedRedis extends TestScriptRunner implements Subscription {

	static final Attempt LATER = new Attempt(1, Duration.ZERO, false);

	/** Longer than the timeout of a script, as for the first connection. */
	private static final Duration USUAL_SEND_TIMEOUT = Duration.ofSeconds(5);

	private final ManualLockTimer timer = new ManualLockTimer();

	private final List<Sent> sent = new ArrayList<>();

	private final List<Events> subscriptions = new ArrayList<>();

	private int links;

	private boolean closed;

	private boolean clustered;

	private boolean mayArriveTwice;

	RedisLockStore store(RedisLockStoreOptions options, boolean clustered, boolean listensWhileHolding, boolean votes) {
		this.clustered = clustered;
		return new RedisLockStore(() -> open(options), options, clustered, listensWhileHolding, votes);
	}

	private Link open(RedisLockStoreOptions options) {
		this.links++;
		Inbox inbox = new Inbox("inbox", "news", (channels, events) -> {
			this.subscriptions.add(events);
			return this;
		}, this.timer::nanoTime, Runnable::run);
		return Link.of(this, inbox, options, this.timer::nanoTime);
	}

	ManualLockTimer timer() {
		return this.timer;
	}

	/**
	 * Return how often stores have connected.
	 */
	int links() {
		return this.links;
	}

	boolean isClosed() {
		return this.closed;
	}

	List<Events> subscriptions() {
		return this.subscriptions;
	}

	/**
	 * Return the names of all scripts that were sent.
	 */
	List<String> scripts() {
		return this.sent.stream().map((sent) -> sent.call().script().name()).toList();
	}

	Sent last() {
		return this.sent.get(this.sent.size() - 1);
	}

	/**
	 * Let a store wait for a lock that another owner holds.
	 * @param holder the value of the lock key
	 * @param millis how long the owner has the lock; -1 if it never expires
	 */
	AcquireReply.Held refuse(RedisLockStore store, String holder, long millis) {
		Duration minute = Duration.ofMinutes(1);
		CompletableFuture<AcquireReply> reply = store
			.acquire(new AcquireRequest(LockTarget.of("job"), "me/r1", "r1", minute, 1, minute, LATER))
			.toCompletableFuture();
		last().reply().complete(List.of(0L, holder.getBytes(StandardCharsets.UTF_8), millis, 0L, 0L));
		return (AcquireReply.Held) reply.join();
	}

	void repeatRequests() {
		this.mayArriveTwice = true;
	}

	@Override
	public CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration sendTimeout,
			@Nullable Predicate<Object> written) {
		call.seal();
		this.sent.add(new Sent(call, sendTimeout, written, new CompletableFuture<>()));
		return last().reply();
	}

	@Override
	public Duration sendTimeout(Duration timeout) {
		return USUAL_SEND_TIMEOUT;
	}

	@Override
	public boolean countsReceivers() {
		return !this.clustered;
	}

	@Override
	public boolean mayArriveTwice() {
		return this.mayArriveTwice;
	}

	@Override
	public void close() {
		this.closed = true;
		super.close();
	}

	@Override
	public CompletionStage<?> ping() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletionStage<Void> end() {
		return CompletableFuture.completedFuture(null);
	}

	/**
	 * A script that was sent.
	 *
	 * @param written tests whether replicas have to acknowledge a reply
	 */
	record Sent(ScriptCall call, Duration sendTimeout, @Nullable Predicate<Object> written,
			CompletableFuture<Object> reply) {

		List<String> arguments() {
			return this.call.seal().arguments().stream().map(LockKeys::text).toList();
		}

	}

}
