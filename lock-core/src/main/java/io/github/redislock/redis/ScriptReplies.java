package io.github.redislock.redis;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.RedisErrors;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * Reads what the scripts return.
 */
final class ScriptReplies {

	private static final int GRANTED = 1;

	private static final int WITHDRAWN = 2;

	/** What an acquisition returns for a key that is not a lock. */
	private static final int NO_LOCK_TO_ACQUIRE = 3;

	/** What an acquisition returns during the quarantine. */
	private static final int QUARANTINE = 4;

	/** What an acquisition of several locks returns for a key of another type. */
	private static final int OTHER_TYPE = 5;

	/**
	 * The remaining time that scripts return for a lock that never expires. A smaller
	 * number, {@code -n}, means that the lock is free, but reserved for one owner for
	 * {@code n} ms.
	 */
	private static final int NO_EXPIRY = -1;

	/** What a forced release returns for a key that is not a lock. */
	private static final int NO_LOCK_TO_RELEASE = 2;

	private static final String WITHOUT_EXPIRY = "holds a string without expiry that is not from Redis Lock";

	private static final String OTHER_DATA = "holds data of another type";

	private final LockKeys keys;

	ScriptReplies(LockKeys keys) {
		this.keys = keys;
	}

	static boolean isOne(Object reply) {
		return ((Long) reply) == 1;
	}

	/**
	 * Read the reply to an acquisition.
	 * @param notified whether the request named a channel for its messages
	 */
	AcquireReply acquire(AcquireRequest request, boolean notified, List<?> reply) {
		int kind = ((Long) reply.get(0)).intValue();
		return switch (kind) {
			case GRANTED -> new AcquireReply.Granted((Long) reply.get(1));
			case WITHDRAWN -> new AcquireReply.Withdrawn();
			case NO_LOCK_TO_ACQUIRE -> throw conflict("acquire", concerned(request.target(), 1, reply), WITHOUT_EXPIRY);
			case OTHER_TYPE -> throw conflict("acquire", concerned(request.target(), 1, reply), OTHER_DATA);
			case QUARANTINE -> throw quarantined(request.target(), (Long) reply.get(1));
			default -> {
				LockValue value = LockValue.of(LockKeys.text((byte[]) reply.get(1)));
				long token = Math.max(value.token(), (Long) reply.get(3));
				LockState holder = state(concerned(request.target(), 5, reply), reply.subList(1, reply.size()),
						value.owner(), token, value.count(), 0);
				// Without a fencing token, the holder is another program, which does not
				// know the queue.
				boolean notifies = token > 0 || value.isShared();
				yield new AcquireReply.Held(holder, request.claim() != null, notified && notifies);
			}
		};
	}

	/**
	 * Read the reply to an attempt to acquire an uncontended lock.
	 * @return the meaning of the reply, or {@code null} if the script for all cases has
	 * to run
	 */
	@Nullable AcquireReply acquireQuickly(AcquireRequest request, Object reply) {
		if (reply instanceof Long token) {
			return new AcquireReply.Granted(token, true);
		}
		LockState holder = LockValue.stateOfQuick(request.target().name(), (byte[]) reply);
		return (holder == null || request.claim() != null || request.owner().equals(holder.owner())) ? null
				: new AcquireReply.Held(holder, false, false);
	}

	LockState inspect(LockTarget target, List<?> fields) {
		LockState state = state(target, fields, LockKeys.text((byte[]) fields.get(0)), (Long) fields.get(2),
				((Long) fields.get(4)).intValue(), (Long) fields.get(5));
		if (state.neverExpires() && state.fencingToken() == null) {
			throw conflict("inspect", target, WITHOUT_EXPIRY);
		}
		return state;
	}

	boolean forceRelease(LockTarget target, long reply) {
		if (reply == NO_LOCK_TO_RELEASE) {
			throw conflict("force release", target, WITHOUT_EXPIRY);
		}
		return reply == 1;
	}

	/**
	 * Return the lock that a reply is about, which may be one of several.
	 * @param field the index of the field with the number of the lock
	 */
	private static LockTarget concerned(LockTarget target, int field, List<?> reply) {
		return target.isSeveral() ? target.each().get(((Long) reply.get(field)).intValue() - 1) : target;
	}

	/**
	 * Read the state of a holder from a script's result.
	 * @param lastToken the last reserved fencing token, or 0 if it is unknown
	 */
	private static LockState state(LockTarget target, List<?> fields, String holder, long token, int holders,
			long lastToken) {
		long millis = (Long) fields.get(1);
		return LockState.of(target.name(), holder,
				(millis != NO_EXPIRY) ? Duration.ofMillis(Math.abs(millis)) : ChronoUnit.FOREVER.getDuration(),
				(token > 0) ? token : null, (lastToken > 0) ? lastToken : null, (Long) fields.get(3),
				millis >= NO_EXPIRY, holders);
	}

	private LockKeyConflictException conflict(String operation, LockTarget target, String reason) {
		return RedisErrors.conflict(operation, target, LockKeys.text(this.keys.lock(target)), reason, null);
	}

	private static LockStoreException quarantined(LockTarget target, long millis) {
		return new LockStoreException(target,
				("Lock '%s': acquire failed: Redis has lost its data, or never had any, and grants no lock for another"
						+ " %s: earlier holders may still hold their locks (redis-lock.cold-start-quarantine)")
					.formatted(target, Durations.describe(Duration.ofMillis(millis))),
				null, true, false);
	}

}
