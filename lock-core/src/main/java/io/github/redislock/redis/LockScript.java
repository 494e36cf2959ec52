package io.github.redislock.redis;

import java.util.List;

import io.github.redislock.internal.redis.LuaScript;
import io.github.redislock.internal.redis.Script;

/**
 * A script for locks, which is read from a file together with the shared parts that it
 * includes.
 */
enum LockScript implements Script {

	/** Acquires and releases uncontended locks. */
	QUICK("quick", true, Turn.AT_ONCE),

	/** Acquires a lock or joins its queue. */
	ACQUIRE("acquire", true, Turn.ASKING),

	/** Acquires several locks or joins their queues. */
	ACQUIRE_ALL("acquire-all", true, Turn.ASKING),

	/** Acquires a place in a shared lock or joins its queue. */
	ACQUIRE_SHARED("acquire-shared", true, Turn.ASKING),

	/** Releases a lock and hands it to the next waiter. */
	RELEASE("release", true, Turn.AT_ONCE),

	/** Releases several locks, and hands each of them to its next waiter. */
	RELEASE_ALL("release-all", true, Turn.AT_ONCE),

	/** Releases a place in a shared lock, and hands it to the next waiter. */
	RELEASE_SHARED("release-shared", true, Turn.AT_ONCE),

	/** Releases a lock and asks for it again. */
	YIELD("yield", true, Turn.AT_ONCE),

	/** Renews locks, or checks that their owners still hold them. */
	RENEW("renew", true, Turn.AT_ONCE),

	/** Renews places in shared locks. */
	RENEW_SHARED("renew-shared", true, Turn.AT_ONCE),

	/** Downgrades an exclusive lock to a place in a shared one. */
	DOWNGRADE("downgrade", false, Turn.AT_ONCE),

	/** Withdraws a request for a lock. */
	WITHDRAW("withdraw", false, Turn.WITHDRAWING),

	/** Withdraws a request for several locks. */
	WITHDRAW_ALL("withdraw-all", false, Turn.WITHDRAWING),

	/** Withdraws a request for a place in a shared lock. */
	WITHDRAW_SHARED("withdraw-shared", false, Turn.WITHDRAWING),

	/** Inspects the holder of a lock and counts the waiters. */
	INSPECT("inspect", true, Turn.ASKING),

	/** Takes a lock away from its holder. */
	FORCE_RELEASE("force-release", true, Turn.ASKING);

	private final LuaScript file;

	LockScript(String name, boolean list, Turn turn) {
		this.file = LuaScript.read(LockScript.class, name, list, turn);
	}

	LuaScript file() {
		return this.file;
	}

	@Override
	public byte[] bytes() {
		return this.file.bytes();
	}

	@Override
	public String sha1() {
		return this.file.sha1();
	}

	@Override
	public boolean returnsList() {
		return this.file.returnsList();
	}

	@Override
	public boolean isSameReply(Object reply, Object later) {
		if (this == RENEW || this == RENEW_SHARED) {
			// Skip the first field, which is the server's clock.
			List<?> renewed = (List<?>) reply;
			return renewed.subList(1, renewed.size()).equals(((List<?>) later).subList(1, renewed.size()));
		}
		return reply.equals(later);
	}

	@Override
	public Turn turn() {
		return this.file.turn();
	}

}
