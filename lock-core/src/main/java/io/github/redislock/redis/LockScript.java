package io.github.redislock.redis;

import java.util.List;

import io.github.redislock.internal.client.Script;
import io.github.redislock.internal.client.Script.Priority;
import io.github.redislock.internal.client.Script.Reply;

/**
 * The scripts for locks. The header of each file describes what the script does.
 */
final class LockScript {

	static final Script TAKE = read("take", Reply.ONE_OR_LIST, Priority.AT_ONCE);

	static final Script FREE = read("free", Reply.ONE_OR_LIST, Priority.AT_ONCE);

	static final Script ACQUIRE = read("acquire", Reply.LIST, Priority.ACQUISITION);

	static final Script ACQUIRE_ALL = read("acquire-all", Reply.LIST, Priority.ACQUISITION);

	static final Script ACQUIRE_SHARED = read("acquire-shared", Reply.LIST, Priority.ACQUISITION);

	static final Script RELEASE = read("release", Reply.LIST, Priority.AT_ONCE);

	static final Script RELEASE_SHARED = read("release-shared", Reply.LIST, Priority.AT_ONCE);

	static final Script YIELD = read("yield", Reply.LIST, Priority.AT_ONCE);

	static final Script RENEW = read("renew", Reply.LIST, Priority.AT_ONCE);

	static final Script RENEW_SHARED = read("renew-shared", Reply.LIST, Priority.AT_ONCE);

	static final Script WITHDRAW = read("withdraw", Reply.NUMBER, Priority.WITHDRAWAL);

	static final Script WITHDRAW_SHARED = read("withdraw-shared", Reply.NUMBER, Priority.WITHDRAWAL);

	static final Script INSPECT = read("inspect", Reply.LIST, Priority.ACQUISITION);

	static final Script FORCE_RELEASE = read("force-release", Reply.LIST, Priority.ACQUISITION);

	static final List<Script> ALL = List.of(TAKE, FREE, ACQUIRE, ACQUIRE_ALL, ACQUIRE_SHARED, RELEASE, RELEASE_SHARED,
			YIELD, RENEW, RENEW_SHARED, WITHDRAW, WITHDRAW_SHARED, INSPECT, FORCE_RELEASE);

	private LockScript() {
	}

	private static Script read(String name, Reply reply, Priority priority) {
		return Script.read(LockScript.class, name, reply, priority);
	}

}
