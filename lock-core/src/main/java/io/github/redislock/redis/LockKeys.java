package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.redislock.LockKeyConflictException;
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

	/** What {@link #beside} makes of any lock key. */
	private static final Pattern RESERVED = Pattern
		.compile("(?s)\\{(?<tag>[^}]+)}:(?<part>fence|queue|waiters|places|grants|cancel:[^:]+)(:(?<owner>.+))?");

	private final String prefix;

	private final String since;

	LockKeys(String prefix) {
		this.prefix = prefix;
		this.since = "{" + prefix + "}:since";
	}

	/**
	 * Return the key of the lock itself.
	 * @throws LockKeyConflictException if it is the place where the state of another lock
	 * is kept
	 */
	byte[] lock(LockTarget target) {
		String key = lockKey(target);
		if (key.startsWith("{") && isReserved(key)) {
			throw new LockKeyConflictException(target, key,
					"Lock '%s': its key '%s' is where Redis Lock keeps the state of other locks: use another name"
						.formatted(target, key) + ", or a redis-lock.key-prefix that does not begin with a brace",
					null);
		}
		return bytes(key);
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
	 * Return the key of the owners that share the lock, and of when their leases end.
	 */
	byte[] places(LockTarget target) {
		return bytes(beside(lockKey(target), "places"));
	}

	/**
	 * Return the key of what those were granted that share the lock.
	 */
	byte[] grants(LockTarget target) {
		return bytes(beside(lockKey(target), "grants"));
	}

	/**
	 * Return the key that marks a request as withdrawn.
	 */
	byte[] cancel(LockTarget target, String requestId) {
		return bytes(beside(lockKey(target), "cancel:" + requestId));
	}

	/**
	 * Return the one key that all locks share and that never expires: since when Redis
	 * has data.
	 */
	byte[] since() {
		return bytes(this.since);
	}

	/**
	 * Return the channel on which one process is told of hand-overs.
	 * @param process known to no other process
	 */
	String inbox(String process) {
		// Blanks part the fields of what the scripts remember.
		return this.prefix.replaceAll("\\s", "_") + "inbox:" + process;
	}

	/**
	 * Return several locks grouped by slots, in the order of these: the same everywhere,
	 * so that nobody waits in a circle.
	 */
	List<LockTarget> groupsOfOneSlot(LockTarget target) {
		return target.each()
			.stream()
			.collect(Collectors.groupingBy((lock) -> ClusterSlotHashUtil.calculateSlot(lock(lock)), TreeMap::new,
					Collectors.collectingAndThen(Collectors.toList(), LockTarget::allOf)))
			.values()
			.stream()
			.toList();
	}

	/**
	 * Return the channel on which all processes are told of locks that were taken by
	 * force.
	 */
	String news() {
		return inbox("all");
	}

	private String lockKey(LockTarget target) {
		return this.prefix + target.name();
	}

	/**
	 * Return whether a lock key is another lock's companion: only without a prefix, or
	 * with one that begins with a brace itself.
	 */
	private boolean isReserved(String key) {
		if (key.equals(this.since)) {
			return true;
		}
		Matcher matcher = RESERVED.matcher(key);
		if (!matcher.matches()) {
			return false;
		}
		String owner = matcher.group("owner");
		String lockKey = (owner != null) ? owner : matcher.group("tag");
		return lockKey.startsWith(this.prefix) && beside(lockKey, matcher.group("part")).equals(key);
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
