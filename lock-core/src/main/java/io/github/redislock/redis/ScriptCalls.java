package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.Script;
import io.github.redislock.internal.client.ScriptCall;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.RenewRequest;
import org.jspecify.annotations.Nullable;

/**
 * Writes the keys and arguments of each script, in the order that the script's header
 * lists. Thread-safe.
 * <p>
 * The parameter {@code counted} says whether {@code PUBLISH} returns the number of all
 * receivers.
 */
final class ScriptCalls {

	/** The owner argument that matches any owner. */
	static final String ANY_OWNER = "";

	private static final String[] EXCLUSIVE = { LockKeys.FENCE, LockKeys.QUEUE, LockKeys.WAITERS };

	private static final String[] SHARED = { LockKeys.FENCE, LockKeys.QUEUE, LockKeys.WAITERS, LockKeys.PLACES,
			LockKeys.GRANTS };

	private final LockKeys keys;

	private final Duration quarantine;

	ScriptCalls(LockKeys keys, RedisLockStoreOptions options) {
		this.keys = keys;
		this.quarantine = options.coldStartQuarantine();
	}

	QuickLocks.Entry acquireQuickly(AcquireRequest request) {
		LockKeys.OneLock keys = this.keys.oneLock(request.target());
		return new QuickLocks.Entry(keys.lock(), keys.fence(), bytes(LockValue.quick(request, "")),
				bytes(millis(request.timeToLive())));
	}

	/**
	 * Return the keys and arguments to release an uncontended lock.
	 * @param fencingToken the first of the reserved fencing tokens
	 */
	QuickLocks.Entry releaseQuickly(AcquireRequest granted, long fencingToken) {
		return new QuickLocks.Entry(this.keys.oneLock(granted.target()).lock(), null,
				bytes(LockValue.quick(granted, Long.toString(fencingToken))), null);
	}

	/**
	 * Return the call that acquires a lock, or waits for it.
	 * @param inbox the channel for messages to this process
	 * @param polls whether the request gets no message that its turn has come
	 */
	ScriptCall acquire(AcquireRequest request, String inbox, boolean polls, boolean counted) {
		LockTarget target = request.target();
		Script exclusive = target.isSeveral() ? LockScript.ACQUIRE_ALL : LockScript.ACQUIRE;
		return ScriptCall.of(target.isShared() ? LockScript.ACQUIRE_SHARED : exclusive, grantKeys(request),
				asker(request, inbox, polls, counted));
	}

	ScriptCall yield(AcquireRequest granted, AcquireRequest next, String inbox, boolean polls, boolean counted) {
		List<byte[]> arguments = arguments(granted.owner(), granted.requestId());
		arguments.addAll(asker(next, inbox, polls, counted));
		return ScriptCall.of(LockScript.YIELD, grantKeys(next), arguments);
	}

	/**
	 * Return the call that renews a lock. Calls of one script may be {@link #joined}.
	 */
	ScriptCall renew(RenewRequest renewal) {
		LockTarget target = renewal.target();
		List<byte[]> arguments = arguments(renewal.owner(), millis(renewal.timeToLive()));
		return target.isShared()
				? ScriptCall.of(LockScript.RENEW_SHARED,
						this.keys.of(target, LockKeys.FENCE, LockKeys.PLACES, LockKeys.GRANTS), arguments)
				: ScriptCall.of(LockScript.RENEW, this.keys.of(target, LockKeys.FENCE), arguments);
	}

	/**
	 * Return the call that releases a lock.
	 * @param keepFor how long the lock stays locked after the release
	 */
	ScriptCall release(AcquireRequest granted, Duration keepFor, boolean counted) {
		LockTarget target = granted.target();
		return ScriptCall.of(target.isShared() ? LockScript.RELEASE_SHARED : LockScript.RELEASE,
				target.isShared() ? requestKeys(granted) : keys(target),
				arguments(granted.owner(), granted.requestId(), millis(keepFor), flag(counted)));
	}

	/**
	 * Return the call that withdraws a request.
	 * @param inbox the channel for messages to this process
	 * @param refuseFor how long to refuse the request if it arrives late; zero if it
	 * cannot arrive late
	 * @param keepFor how long the lock stays locked if it was granted to the request
	 */
	ScriptCall withdraw(AcquireRequest request, String inbox, Duration refuseFor, Duration keepFor, boolean counted) {
		Script script = request.target().isShared() ? LockScript.WITHDRAW_SHARED : LockScript.WITHDRAW;
		return ScriptCall.of(script, requestKeys(request),
				arguments(entry(request, inbox), millis(refuseFor), millis(keepFor), flag(counted)));
	}

	/**
	 * Return the call that raises the fencing token of a grant.
	 * @param raise the script that raises the token
	 * @param granted the attempt that was granted
	 * @param requestId the request to which the attempt belongs
	 * @param token the token that the servers agreed on, which is the minimum to set
	 * @param seen the token that the server granted
	 */
	ScriptCall raise(Script raise, AcquireRequest granted, String requestId, long token, long seen) {
		return ScriptCall.of(raise, this.keys.of(granted.target(), LockKeys.FENCE),
				arguments(granted.owner(), requestId, granted.requestId(), token, seen, granted.tokens()));
	}

	/**
	 * Return the call that inspects a lock.
	 * @param owner the owner to report if the lock is shared, or {@link #ANY_OWNER}
	 */
	ScriptCall inspect(LockTarget target, String owner) {
		return ScriptCall.of(LockScript.INSPECT,
				this.keys.of(target, LockKeys.FENCE, LockKeys.QUEUE, LockKeys.PLACES, LockKeys.GRANTS),
				arguments(owner));
	}

	/**
	 * Return the call that releases a lock by force.
	 * @param owner the owner to take the lock from, or {@link #ANY_OWNER}
	 * @param alone whether to do nothing if that owner shares the lock with others
	 */
	ScriptCall forceRelease(LockTarget target, String owner, boolean alone, boolean counted) {
		return ScriptCall.of(LockScript.FORCE_RELEASE, this.keys.of(target, SHARED),
				arguments(flag(counted), owner, this.keys.news(), target.name(), flag(alone)));
	}

	/**
	 * Join several calls of a script that takes any number of locks.
	 */
	static ScriptCall joined(List<ScriptCall> calls) {
		return ScriptCall.of(calls.get(0).script(),
				calls.stream().flatMap((call) -> call.seal().keys().stream()).toList(),
				calls.stream().flatMap((call) -> call.seal().arguments().stream()).toList());
	}

	private List<byte[]> keys(LockTarget target) {
		return this.keys.of(target, target.isShared() ? SHARED : EXCLUSIVE);
	}

	private List<byte[]> requestKeys(AcquireRequest request) {
		LockTarget target = request.target();
		List<byte[]> keys = keys(target);
		keys.add(this.keys.withdrawn(target.each().get(0), request.requestId()));
		return keys;
	}

	/**
	 * Return the keys of a request that may be granted, including the key of the
	 * quarantine if there is one.
	 */
	private List<byte[]> grantKeys(AcquireRequest request) {
		List<byte[]> keys = requestKeys(request);
		if (!this.quarantine.isZero()) {
			keys.add(this.keys.since());
		}
		return keys;
	}

	/**
	 * Return the arguments that {@code lib/asker.lua} reads, in its order.
	 */
	private List<byte[]> asker(AcquireRequest request, String inbox, boolean polls, boolean counted) {
		String askedAt = polls ? "-" : Long.toString(request.attempt().askedAt());
		List<byte[]> arguments = arguments(entry(request, inbox), millis(request.timeToLive()),
				(request.claim() != null) ? askedAt : "", flag(counted));
		if (!this.quarantine.isZero()) {
			arguments.add(bytes(millis(this.quarantine)));
		}
		return arguments;
	}

	/**
	 * Return how many fencing tokens to reserve, or how many owners may share the lock.
	 */
	private static String wants(AcquireRequest request) {
		LockTarget target = request.target();
		return target.isShared() ? "*" + target.maxHolders() : Integer.toString(request.tokens());
	}

	/**
	 * Return what describes a request in Redis, which is the same for each of its
	 * attempts.
	 */
	private static String entry(AcquireRequest request, String inbox) {
		Duration claim = request.claim();
		return request.requestId() + ' ' + millis(claim) + ' ' + wants(request) + ' ' + ((claim != null) ? inbox : "")
				+ ' ' + request.owner();
	}

	private static int flag(boolean value) {
		return value ? 1 : 0;
	}

	/**
	 * Return whole milliseconds, rounded up, because a lock must not expire too early; 0
	 * without a duration.
	 */
	private static long millis(@Nullable Duration duration) {
		return (duration != null) ? duration.plusNanos(999_999).toMillis() : 0;
	}

	private static List<byte[]> arguments(Object... values) {
		return Stream.of(values).map(ScriptCalls::bytes).collect(Collectors.toCollection(ArrayList::new));
	}

	private static byte[] bytes(Object value) {
		return value.toString().getBytes(StandardCharsets.UTF_8);
	}

}
