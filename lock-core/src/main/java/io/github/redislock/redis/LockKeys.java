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
import org.jspecify.annotations.Nullable;

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

	private static final byte[] FENCE = bytes("fence");

	private static final byte[] QUEUE = bytes("queue");

	private static final byte[] WAITERS = bytes("waiters");

	private static final byte[] PLACES = bytes("places");

	private static final byte[] GRANTS = bytes("grants");

	/** Spelled as in the contract: instances of other versions look for it. */
	private static final byte[] WITHDRAWN = bytes("cancel:");

	/** So many locks may be held without spelling their keys twice: some 100 KB. */
	private static final int MOST_KEPT = 256;

	/** What {@link #beside} makes of any lock key. */
	private static final Pattern RESERVED = Pattern
		.compile("(?s)\\{(?<tag>[^}]+)}:(?<part>fence|queue|waiters|places|grants|cancel:[^:]+)(:(?<owner>.+))?");

	private final String prefix;

	private final byte[] since;

	/**
	 * The keys of locks that were used a moment ago, each in the place of its name's
	 * hash. Threads write it without a monitor: what one loses is spelled again.
	 */
	private final @Nullable OneLock[] kept = new OneLock[MOST_KEPT];

	LockKeys(String prefix) {
		this.prefix = prefix;
		this.since = bytes(sinceKey());
	}

	/**
	 * Return the keys of a lock that every acquisition and release needs: lock, fence,
	 * queue, waiters. Kept for the next call.
	 * @throws LockKeyConflictException as {@link #lock} does
	 */
	List<byte[]> of(LockTarget target) {
		return oneLock(target).keys();
	}

	/**
	 * Return the key of the lock itself.
	 * @throws LockKeyConflictException if it is the place where the state of another lock
	 * is kept
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

	/**
	 * Return the key that remembers the last grant.
	 */
	byte[] fence(LockTarget target) {
		return beside(lockKey(target), FENCE);
	}

	/**
	 * Return the key of the requests that wait, in their order.
	 */
	byte[] queue(LockTarget target) {
		return beside(lockKey(target), QUEUE);
	}

	/**
	 * Return the key of what is known of the requests that wait.
	 */
	byte[] waiters(LockTarget target) {
		return beside(lockKey(target), WAITERS);
	}

	/**
	 * Return the key of the owners that share the lock, and of when their leases end.
	 */
	byte[] places(LockTarget target) {
		return beside(lockKey(target), PLACES);
	}

	/**
	 * Return the key of what the owners that share the lock were granted.
	 */
	byte[] grants(LockTarget target) {
		return beside(lockKey(target), GRANTS);
	}

	/**
	 * Return the key that marks a request as withdrawn.
	 */
	byte[] withdrawn(LockTarget target, byte[] requestId) {
		OneLock lock = oneLock(target);
		return joined(lock.tag(), WITHDRAWN, requestId, lock.rest());
	}

	/**
	 * Return the one key that all locks share and that never expires: since when Redis
	 * has data.
	 */
	byte[] since() {
		return this.since;
	}

	/**
	 * Return the channel on which one process receives hand-overs.
	 * @param process known to no other process
	 */
	String inbox(String process) {
		// Blanks part the fields of what the scripts remember.
		return this.prefix.replaceAll("\\s", "_") + "inbox:" + process;
	}

	/**
	 * Return the hash tag of a lock's keys, with its braces.
	 */
	String tag(LockTarget target) {
		String tag = text(oneLock(target).tag());
		return tag.substring(0, tag.length() - 1);
	}

	/**
	 * Return several locks grouped by slots, in the order of these: the same everywhere,
	 * so that no requests wait for one another in a circle.
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
	 * Return the channel on which all processes receive that a lock was taken by force.
	 */
	String news() {
		return inbox("all");
	}

	private OneLock oneLock(LockTarget target) {
		int place = target.name().hashCode() & (MOST_KEPT - 1);
		OneLock present = this.kept[place];
		if (present != null && present.name().equals(target.name())) {
			return present;
		}
		String lockKey = lockKey(target);
		byte[] lock = lock(target, lockKey);
		byte[] tag = bytes(tag(lockKey));
		byte[] rest = bytes(rest(lockKey));
		OneLock spelled = new OneLock(target.name(),
				List.of(lock, joined(tag, FENCE, rest), joined(tag, QUEUE, rest), joined(tag, WAITERS, rest)), tag,
				rest);
		this.kept[place] = spelled;
		return spelled;
	}

	private String lockKey(LockTarget target) {
		return this.prefix + target.name();
	}

	private String sinceKey() {
		return "{" + this.prefix + "}:since";
	}

	/**
	 * Return whether a lock key is another lock's companion: only without a prefix, or
	 * with one that begins with a brace itself.
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
		return lockKey.startsWith(this.prefix) && text(beside(lockKey, bytes(matcher.group("part")))).equals(key);
	}

	private static byte[] beside(String lockKey, byte[] part) {
		return joined(bytes(tag(lockKey)), part, bytes(rest(lockKey)));
	}

	private static byte[] joined(byte[]... parts) {
		int length = 0;
		for (byte[] part : parts) {
			length += part.length;
		}
		byte[] key = new byte[length];
		int end = 0;
		for (byte[] part : parts) {
			System.arraycopy(part, 0, key, end, part.length);
			end += part.length;
		}
		return key;
	}

	private static String tag(String lockKey) {
		int open = lockKey.indexOf('{');
		int close = lockKey.indexOf('}', open + 1);
		if (open >= 0 && close > open + 1) {
			return lockKey.substring(open, close + 1) + ":";
		}
		return "{" + (isTag(lockKey) ? lockKey : tagOfSameSlot(lockKey)) + "}:";
	}

	/**
	 * Return what ends a key: several locks may share a tag, and the lock key itself
	 * distinguishes them.
	 */
	private static String rest(String lockKey) {
		return isTag(lockKey) ? "" : ":" + lockKey;
	}

	private static boolean isTag(String lockKey) {
		return lockKey.indexOf('}') < 0;
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

	static String text(byte[] key) {
		return new String(key, StandardCharsets.UTF_8);
	}

	private static byte[] bytes(String key) {
		return key.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * The keys of one lock.
	 *
	 * @param name of the lock
	 * @param keys lock, fence, queue, waiters
	 * @param tag what begins all but that of the lock itself
	 * @param rest what ends them
	 */
	private record OneLock(String name, List<byte[]> keys, byte[] tag, byte[] rest) {
	}

}
