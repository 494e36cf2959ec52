package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.redislock.LockTarget;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Spells the keys of a lock, all of which lie in one slot of a cluster.
 * <p>
 * The lock key itself is the prefix and the name, as a program in another language would
 * write it. The others begin with a hash tag: that of the lock key if it has one,
 * otherwise the whole lock key.
 */
final class LockKeys {

	/** Takes milliseconds to find, so each is found once. */
	private static final Map<Integer, String> TAGS = new ConcurrentHashMap<>();

	private final String prefix;

	LockKeys(String prefix) {
		this.prefix = prefix;
	}

	byte[] lock(LockTarget target) {
		return bytes(lockKey(target));
	}

	/**
	 * Return the key that remembers the last grant.
	 */
	byte[] fence(LockTarget target) {
		return bytes(beside(lockKey(target), "fence"));
	}

	/**
	 * Return the key of the requests that wait, in their order.
	 */
	byte[] queue(LockTarget target) {
		return bytes(beside(lockKey(target), "queue"));
	}

	/**
	 * Return the key of what is known of the requests that wait.
	 */
	byte[] waiters(LockTarget target) {
		return bytes(beside(lockKey(target), "waiters"));
	}

	/**
	 * Return the key that marks a request as withdrawn.
	 */
	byte[] cancel(LockTarget target, String requestId) {
		return bytes(beside(lockKey(target), "cancel:" + requestId));
	}

	/**
	 * Return the channel on which one process is told of hand-overs.
	 * @param process known to no other process
	 */
	String inbox(String process) {
		// Blanks part the fields of what the scripts remember.
		return this.prefix.replaceAll("\\s", "_") + "inbox:" + process;
	}

	private String lockKey(LockTarget target) {
		return this.prefix + target.name();
	}

	private static String beside(String lockKey, String part) {
		int open = lockKey.indexOf('{');
		int close = lockKey.indexOf('}', open + 1);
		if (open >= 0 && close > open + 1) {
			// Several locks may share a tag: the lock key itself tells them apart.
			return lockKey.substring(open, close + 1) + ":" + part + ":" + lockKey;
		}
		if (lockKey.indexOf('}') < 0) {
			return "{" + lockKey + "}:" + part;
		}
		return "{" + tagOfSameSlot(lockKey) + "}:" + part + ":" + lockKey;
	}

	/**
	 * Return a tag for a key that cannot be one itself, since it contains a closing
	 * brace.
	 */
	private static String tagOfSameSlot(String lockKey) {
		return TAGS.computeIfAbsent(ClusterSlotHashUtil.calculateSlot(lockKey), LockKeys::tagOfSlot);
	}

	private static String tagOfSlot(int slot) {
		int candidate = 0;
		while (ClusterSlotHashUtil.calculateSlot(Integer.toString(candidate)) != slot) {
			candidate++;
		}
		return Integer.toString(candidate);
	}

	private static byte[] bytes(String key) {
		return key.getBytes(StandardCharsets.UTF_8);
	}

}
