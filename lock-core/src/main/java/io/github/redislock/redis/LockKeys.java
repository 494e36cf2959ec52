package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Builds the keys of a lock, which are all in the same slot of a cluster.
 * <p>
 * The lock key is the prefix followed by the name, which is easy to build in other
 * languages. The other keys begin with a hash tag: that of the lock key if it has one,
 * otherwise the whole lock key, or a tag of the same slot if the lock key contains a
 * closing brace.
 */
final class LockKeys {

	/** Tags by slot. Cached, because finding the tag of a slot takes many attempts. */
	private static final Map<Integer, String> TAGS = new ConcurrentHashMap<>();

	/** The record of the last grant. */
	static final String FENCE = "fence";

	static final String QUEUE = "queue";

	/** The last calls of waiting requests. */
	static final String WAITERS = "waiters";

	/** The owners that share the lock, and when their leases end. */
	static final String PLACES = "places";

	static final String GRANTS = "grants";

	/** See docs/redis-contract.md: instances of other versions use the same key. */
	private static final String WITHDRAWN = "cancel:";

	/** The maximum number of locks whose keys are cached; a power of two. */
	private static final int MOST_KEPT = 256;

	/** The keys of a lock's state, such as its fence and its queue. */
	private static final Pattern RESERVED = Pattern
		.compile("(?s)\\{(?<tag>[^}]+)}:(?<part>fence|queue|waiters|places|grants|cancel:[^:]+)(:(?<owner>.+))?");

	private final String prefix;

	private final byte[] since;

	/**
	 * The keys of recently used locks, each at the index of its name's hash. Written
	 * without synchronization: a lost entry is rebuilt.
	 */
	private final @Nullable OneLock[] kept = new OneLock[MOST_KEPT];

	LockKeys(String prefix) {
		this.prefix = prefix;
		this.since = bytes(sinceKey());
	}

	/**
	 * Return the key of each lock of a target, followed by those of parts of its state.
	 * @throws LockKeyConflictException if the key of a lock is reserved for other data
	 */
	List<byte[]> of(LockTarget target, String... parts) {
		List<byte[]> keys = new ArrayList<>();
		for (LockTarget each : target.each()) {
			OneLock lock = oneLock(each);
			keys.add(lock.lock());
			for (String part : parts) {
				keys.add(part.equals(FENCE) ? lock.fence() : lock.key(part));
			}
		}
		return keys;
	}

	/**
	 * Return the keys of a lock and of its fence, which are cached for the next call.
	 * @throws LockKeyConflictException if the key of the lock is reserved for other data
	 */
	OneLock oneLock(LockTarget target) {
		int place = target.name().hashCode() & (MOST_KEPT - 1);
		OneLock present = this.kept[place];
		if (present != null && present.name().equals(target.name())) {
			return present;
		}
		String lockKey = lockKey(target);
		String tag = tag(lockKey);
		String rest = rest(lockKey);
		OneLock spelled = new OneLock(target.name(), lock(target, lockKey), bytes(tag + FENCE + rest), tag, rest);
		this.kept[place] = spelled;
		return spelled;
	}

	/**
	 * Return the key of the lock itself.
	 * @throws LockKeyConflictException if this key is reserved for other data
	 */
	byte[] lock(LockTarget target) {
		return lock(target, lockKey(target));
	}

	private byte[] lock(LockTarget target, String key) {
		if (key.startsWith("{") && isReserved(key)) {
			throw new LockKeyConflictException(target, key,
					"Lock '%s': its key '%s' is where Redis Lock keeps the state of other locks: use another name"
						.formatted(target, key) + ", or a redis-lock.key-prefix that does not begin with a brace",
					null);
		}
		return bytes(key);
	}

	byte[] withdrawn(LockTarget target, String requestId) {
		return oneLock(target).key(WITHDRAWN + requestId);
	}

	/**
	 * Return the key that records since when Redis has had data. All locks share it, and
	 * it never expires.
	 */
	byte[] since() {
		return this.since;
	}

	/**
	 * Return the channel on which one process receives hand-overs.
	 * @param process an id that no other process uses
	 */
	String inbox(String process) {
		// Replace white space, because spaces separate fields in the scripts.
		return this.prefix.replaceAll("\\s", "_") + "inbox:" + process;
	}

	/**
	 * Return several locks grouped by slot. All instances acquire the groups in the order
	 * of their slots, so that requests do not deadlock.
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
	 * Return the channel on which all processes receive forced releases and notices.
	 */
	String news() {
		return inbox("all");
	}

	private String lockKey(LockTarget target) {
		return this.prefix + target.name();
	}

	private String sinceKey() {
		return "{" + this.prefix + "}:since";
	}

	/**
	 * Return whether a lock key is also a key of another kind, such as another lock's
	 * fence. This is possible only without a prefix, or with one that begins with a
	 * brace.
	 */
	private boolean isReserved(String key) {
		if (key.equals(sinceKey())) {
			return true;
		}
		Matcher matcher = RESERVED.matcher(key);
		if (!matcher.matches()) {
			return false;
		}
		String owner = matcher.group("owner");
		String lockKey = (owner != null) ? owner : matcher.group("tag");
		return lockKey.startsWith(this.prefix) && key.equals(tag(lockKey) + matcher.group("part") + rest(lockKey));
	}

	private static String tag(String lockKey) {
		int open = lockKey.indexOf('{');
		int close = lockKey.indexOf('}', open + 1);
		if (open >= 0 && close > open + 1) {
			return lockKey.substring(open, close + 1) + ":";
		}
		// A key that contains a closing brace cannot be a tag itself.
		return "{" + (isTag(lockKey) ? lockKey
				: TAGS.computeIfAbsent(ClusterSlotHashUtil.calculateSlot(lockKey), LockKeys::tagOfSlot)) + "}:";
	}

	/**
	 * Return the end of a key, which distinguishes locks that share a tag.
	 */
	private static String rest(String lockKey) {
		return isTag(lockKey) ? "" : ":" + lockKey;
	}

	private static boolean isTag(String lockKey) {
		return lockKey.indexOf('}') < 0;
	}

	private static String tagOfSlot(int slot) {
		int candidate = 0;
		while (ClusterSlotHashUtil.calculateSlot(Integer.toString(candidate)) != slot) {
			candidate++;
		}
		return Integer.toString(candidate);
	}

	static String text(byte[] key) {
		return new String(key, StandardCharsets.UTF_8);
	}

	private static byte[] bytes(String key) {
		return key.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * The keys of one lock.
	 *
	 * @param name the lock's name
	 * @param lock the key of the lock
	 * @param fence the key of the record of the last grant
	 * @param tag the beginning of all keys except the lock key
	 * @param rest the end of all keys except the lock key, which may be empty
	 */
	record OneLock(String name, byte[] lock, byte[] fence, String tag, String rest) {

		private byte[] key(String part) {
			return bytes(this.tag + part + this.rest);
		}

	}

}
