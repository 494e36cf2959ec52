package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.redis.Script;
import io.github.redislock.internal.redis.ScriptCall;
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

	private static final byte[] ZERO = bytes("0");

	private static final byte[] ONE = bytes("1");

	private static final byte[] ASKS_AGAIN = bytes("-");

	private static final byte[] DOES_NOT_WAIT = bytes("");

	private final LockKeys keys;

	private final Duration quarantine;

	ScriptCalls(LockKeys keys, RedisLockStoreOptions options) {
		this.keys = keys;
		this.quarantine = options.coldStartQuarantine();
	}

	QuickLocks.Entry acquireQuickly(AcquireRequest request) {
		LockKeys.OneLock keys = this.keys.oneLock(request.target());
		return new QuickLocks.Entry(keys.lock(), keys.fence(), bytes(LockValue.quick(request, "")),
				millisOrZero(request.timeToLive()));
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
	 * @param inbox the channel for the message that the request's turn has come;
	 * {@code null} if the request polls
	 */
	ScriptCall acquire(AcquireRequest request, byte @Nullable [] inbox, boolean counted) {
		Script script = scriptFor(request.target(), LockScript.ACQUIRE, LockScript.ACQUIRE_ALL,
				LockScript.ACQUIRE_SHARED);
		byte[] requestId = bytes(request.requestId());
		List<byte[]> arguments = new ArrayList<>();
		addAsker(arguments, request, requestId, inbox, counted);
		return ScriptCall.of(script, grantKeys(request.target(), requestId), arguments);
	}

	ScriptCall yield(AcquireRequest granted, AcquireRequest next, byte @Nullable [] inbox, boolean counted) {
		byte[] requestId = bytes(next.requestId());
		List<byte[]> arguments = new ArrayList<>(List.of(bytes(granted.owner()), bytes(granted.requestId())));
		addAsker(arguments, next, requestId, inbox, counted);
		return ScriptCall.of(LockScript.YIELD, grantKeys(next.target(), requestId), arguments);
	}

	/**
	 * Return the call that renews a lock. Calls of one script may be {@link #joined}.
	 */
	ScriptCall renew(RenewRequest renewal) {
		LockTarget target = renewal.target();
		byte[] lock = this.keys.lock(target);
		byte[] fence = this.keys.fence(target);
		List<byte[]> arguments = List.of(bytes(renewal.owner()), millisOrZero(renewal.timeToLive()));
		return target.isShared()
				? ScriptCall.of(LockScript.RENEW_SHARED,
						List.of(lock, fence, this.keys.places(target), this.keys.grants(target)), arguments)
				: ScriptCall.of(LockScript.RENEW, List.of(lock, fence), arguments);
	}

	/**
	 * Return the call that releases a lock.
	 * @param keepFor how long the lock stays locked after the release
	 */
	ScriptCall release(AcquireRequest granted, Duration keepFor, boolean counted) {
		LockTarget target = granted.target();
		Script script = scriptFor(target, LockScript.RELEASE, LockScript.RELEASE_ALL, LockScript.RELEASE_SHARED);
		byte[] requestId = bytes(granted.requestId());
		return ScriptCall.of(script, target.isShared() ? requestKeys(target, requestId) : keys(target),
				List.of(bytes(granted.owner()), requestId, millis(keepFor), flag(counted)));
	}

	/**
	 * Return the call that withdraws a request.
	 * @param refuseFor how long to refuse the request if it arrives late; zero if it
	 * cannot arrive late
	 * @param keepFor how long the lock stays locked if it was granted to the request
	 */
	ScriptCall withdraw(AcquireRequest request, Duration refuseFor, Duration keepFor, boolean counted) {
		Script script = scriptFor(request.target(), LockScript.WITHDRAW, LockScript.WITHDRAW_ALL,
				LockScript.WITHDRAW_SHARED);
		byte[] requestId = bytes(request.requestId());
		return ScriptCall.of(script, requestKeys(request.target(), requestId),
				List.of(bytes(request.owner()), requestId, millis(refuseFor), millis(keepFor), flag(counted)));
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
		List<byte[]> keys = granted.target()
			.each()
			.stream()
			.flatMap((lock) -> Stream.of(this.keys.lock(lock), this.keys.fence(lock)))
			.toList();
		return ScriptCall.of(raise, keys, List.of(bytes(granted.owner()), bytes(requestId), bytes(granted.requestId()),
				bytes(token), bytes(seen), bytes(granted.tokens())));
	}

	/**
	 * Return the call that inspects a lock.
	 * @param owner the owner to report if the lock is shared, or {@link #ANY_OWNER}
	 */
	ScriptCall inspect(LockTarget target, String owner) {
		List<byte[]> keys = List.of(this.keys.lock(target), this.keys.fence(target), this.keys.queue(target),
				this.keys.places(target), this.keys.grants(target));
		return ScriptCall.of(LockScript.INSPECT, keys, List.of(bytes(owner)));
	}

	/**
	 * Return the call that releases a lock by force.
	 * @param owner the owner to take the lock from, or {@link #ANY_OWNER}
	 * @param alone whether to do nothing if that owner shares the lock with others
	 */
	ScriptCall forceRelease(LockTarget target, String owner, boolean alone, boolean counted) {
		return ScriptCall.of(LockScript.FORCE_RELEASE, sharedKeys(target),
				List.of(flag(counted), bytes(owner), bytes(this.keys.news()), bytes(target.name()), flag(alone)));
	}

	/**
	 * Join several calls of a script that takes any number of locks.
	 */
	static ScriptCall joined(List<ScriptCall> calls) {
		return ScriptCall.of(calls.get(0).script(),
				calls.stream().flatMap((call) -> call.seal().keys().stream()).toList(),
				calls.stream().flatMap((call) -> call.seal().arguments().stream()).toList());
	}

	private static Script scriptFor(LockTarget target, Script one, Script several, Script shared) {
		if (target.isShared()) {
			return shared;
		}
		return target.isSeveral() ? several : one;
	}

	private List<byte[]> keys(LockTarget target) {
		if (target.isShared()) {
			return sharedKeys(target);
		}
		return target.isSeveral() ? target.each().stream().flatMap((lock) -> this.keys.of(lock).stream()).toList()
				: this.keys.of(target);
	}

	private List<byte[]> sharedKeys(LockTarget target) {
		List<byte[]> keys = new ArrayList<>(this.keys.of(target));
		keys.add(this.keys.places(target));
		keys.add(this.keys.grants(target));
		return keys;
	}

	private List<byte[]> requestKeys(LockTarget target, byte[] requestId) {
		List<byte[]> keys = new ArrayList<>(keys(target));
		keys.add(this.keys.withdrawn(target.isSeveral() ? target.each().get(0) : target, requestId));
		return keys;
	}

	/**
	 * Return the keys of a request that may be granted, including the key of the
	 * quarantine if there is one.
	 */
	private List<byte[]> grantKeys(LockTarget target, byte[] requestId) {
		List<byte[]> keys = requestKeys(target, requestId);
		if (!this.quarantine.isZero()) {
			keys.add(this.keys.since());
		}
		return keys;
	}

	/**
	 * Add the arguments that {@code lib/asker.lua} reads, in its order.
	 */
	private void addAsker(List<byte[]> arguments, AcquireRequest request, byte[] requestId, byte @Nullable [] inbox,
			boolean counted) {
		arguments.add(bytes(request.owner()));
		arguments.add(requestId);
		arguments.add(millisOrZero(request.timeToLive()));
		arguments.add(wants(request));
		arguments.add(bytes(request.attempt().askedAt()));
		arguments.add(millisOrZero(request.claim()));
		arguments.add(inbox(request, inbox));
		arguments.add(flag(counted));
		if (!this.quarantine.isZero()) {
			arguments.add(millis(this.quarantine));
		}
	}

	/**
	 * Return the argument that says how many fencing tokens to reserve, or how many
	 * owners may share the lock.
	 */
	private static byte[] wants(AcquireRequest request) {
		LockTarget target = request.target();
		return target.isShared() ? bytes("*" + target.maxHolders()) : bytes(request.tokens());
	}

	private static byte[] inbox(AcquireRequest request, byte @Nullable [] inbox) {
		if (request.claim() == null) {
			return DOES_NOT_WAIT;
		}
		return (inbox != null) ? inbox : ASKS_AGAIN;
	}

	private static byte[] flag(boolean value) {
		return value ? ONE : ZERO;
	}

	private static byte[] millisOrZero(@Nullable Duration duration) {
		return (duration != null) ? millis(duration) : ZERO;
	}

	/**
	 * Return whole milliseconds, rounded up, because a lock must not expire too early.
	 */
	private static byte[] millis(Duration duration) {
		return bytes(duration.plusNanos(999_999).toMillis());
	}

	private static byte[] bytes(long number) {
		if (number == 0) {
			return ZERO;
		}
		return (number == 1) ? ONE : bytes(Long.toString(number));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
