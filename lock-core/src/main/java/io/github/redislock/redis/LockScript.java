package io.github.redislock.redis;

import java.util.List;

import io.github.redislock.internal.redis.Script;
import io.github.redislock.internal.redis.Script.Priority;
import io.github.redislock.internal.redis.Script.Reply;

/**
 * The scripts for locks. Each is read from a file with the shared parts that it includes.
 */
final class LockScript {

	/** Acquires and releases uncontended locks. */
	static final Script QUICK = read("quick", Reply.LIST, Priority.AT_ONCE);

	/** Acquires a lock or joins its queue. */
	static final Script ACQUIRE = read("acquire", Reply.LIST, Priority.ACQUISITION);

	/** Acquires several locks or joins their queues. */
	static final Script ACQUIRE_ALL = read("acquire-all", Reply.LIST, Priority.ACQUISITION);

	/** Acquires a place in a shared lock or joins its queue. */
	static final Script ACQUIRE_SHARED = read("acquire-shared", Reply.LIST, Priority.ACQUISITION);

	/** Releases a lock and hands it to the next waiter. */
	static final Script RELEASE = read("release", Reply.LIST, Priority.AT_ONCE);

	/** Releases several locks, and hands each of them to its next waiter. */
	static final Script RELEASE_ALL = read("release-all", Reply.LIST, Priority.AT_ONCE);

	/** Releases a place in a shared lock, and admits the next waiters. */
	static final Script RELEASE_SHARED = read("release-shared", Reply.LIST, Priority.AT_ONCE);

	/** Releases a lock and asks for it again. */
	static final Script YIELD = read("yield", Reply.LIST, Priority.AT_ONCE);

	/** Renews locks, or checks that their owners still hold them. */
	static final Script RENEW = read("renew", Reply.CLOCK_AND_LIST, Priority.AT_ONCE);

	/** Renews places in shared locks. */
	static final Script RENEW_SHARED = read("renew-shared", Reply.CLOCK_AND_LIST, Priority.AT_ONCE);

	/** Downgrades an exclusive lock to a place in a shared one. */
	static final Script DOWNGRADE = read("downgrade", Reply.NUMBER, Priority.AT_ONCE);

	/** Withdraws a request for a lock. */
	static final Script WITHDRAW = read("withdraw", Reply.NUMBER, Priority.WITHDRAWAL);

	/** Withdraws a request for several locks. */
	static final Script WITHDRAW_ALL = read("withdraw-all", Reply.NUMBER, Priority.WITHDRAWAL);

	/** Withdraws a request for a place in a shared lock. */
	static final Script WITHDRAW_SHARED = read("withdraw-shared", Reply.NUMBER, Priority.WITHDRAWAL);

	/** Inspects the holder of a lock and counts the waiters. */
	static final Script INSPECT = read("inspect", Reply.LIST, Priority.ACQUISITION);

	/** Takes a lock away from its holder. */
	static final Script FORCE_RELEASE = read("force-release", Reply.LIST, Priority.ACQUISITION);

	static final List<Script> ALL = List.of(QUICK, ACQUIRE, ACQUIRE_ALL, ACQUIRE_SHARED, RELEASE, RELEASE_ALL,
			RELEASE_SHARED, YIELD, RENEW, RENEW_SHARED, DOWNGRADE, WITHDRAW, WITHDRAW_ALL, WITHDRAW_SHARED, INSPECT,
			FORCE_RELEASE);

	private LockScript() {
	}

	private static Script read(String name, Reply reply, Priority priority) {
		return Script.read(LockScript.class, name, reply, priority);
	}

}
