package io.github.redislock;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

import io.github.redislock.internal.support.KeyRules;
import io.github.redislock.internal.support.TextRules;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The target of a lock operation: one lock, or several at once. Immutable.
 * <p>
 * A lock is either exclusive or shared. A shared lock may be held by any number of
 * readers, or by as many holders as there are permits. An exclusive holder excludes all
 * other holders of the same name, including readers and holders of permits.
 */
public final class LockTarget implements Serializable {

	private static final long serialVersionUID = 1L;

	/**
	 * The maximum length of a name in UTF-8 bytes.
	 */
	public static final int MAX_NAME_BYTES = 1024;

	/** The maximum number of names in a message: more would flood a log. */
	private static final int MOST_SHOWN = 8;

	/** The value of {@code permits} for an exclusive lock. */
	private static final int ALONE = 0;

	private static final int ANY_NUMBER = Integer.MAX_VALUE;

	private final List<String> names;

	/** The maximum number of holders of a shared lock, or 0 for an exclusive one. */
	private final int permits;

	private final String text;

	/** Not part of the lock's identity, so it is ignored by {@code equals}. */
	private final @Nullable String metricName;

	private LockTarget(List<String> names, int permits, @Nullable String metricName) {
		this.names = names;
		this.permits = permits;
		this.text = text(names);
		this.metricName = metricName;
	}

	/**
	 * Return the exclusive lock with the given name.
	 * @param name up to 1024 bytes in UTF-8; must not be blank or contain control
	 * characters, line separators, half of a surrogate pair, or the hash code of an
	 * object as in {@code com.acme.Order@5a4c77fa}. Spaces are kept
	 * @return the target
	 * @throws IllegalArgumentException if the name is invalid
	 */
	public static LockTarget of(String name) {
		requireUsable("lock name", name);
		return new LockTarget(List.of(name), ALONE, null);
	}

	/**
	 * Return the exclusive lock with a fixed name, by which metrics count it.
	 */
	static LockTarget fixed(String name) {
		requireUsable("lock name", name);
		return new LockTarget(List.of(name), ALONE, name);
	}

	private static void requireUsable(String what, String name) {
		if (name == null || name.isBlank()) {
			throw new IllegalArgumentException(what + " must not be " + ((name != null) ? "blank" : "null"));
		}
		TextRules.requireUsable(what, name);
		// A char takes at most three bytes in UTF-8, so most names need not be encoded
		// here.
		int length = (name.length() <= MAX_NAME_BYTES / 3) ? 0 : name.getBytes(StandardCharsets.UTF_8).length;
		if (length > MAX_NAME_BYTES) {
			throw new IllegalArgumentException("%s must have at most %s bytes in UTF-8 but has %s: '%s…'"
				.formatted(what, MAX_NAME_BYTES, length, name.substring(0, name.offsetByCodePoints(0, 40))));
		}
		KeyRules.requireStable(name);
	}

	/**
	 * Return the lock with a name and a key. It is the same lock as that of an annotated
	 * method with this name and key: {@code of("payment", 4711)} is {@code payment:4711}.
	 * <p>
	 * If the key is a collection, an array or a stream, the target is the lock of each
	 * element, as with {@link #allOf}: {@code of("stock", List.of("a", "b"))} is
	 * {@code stock:a} and {@code stock:b}. A stream is consumed.
	 * <p>
	 * The text of a key must be the same in each process, because other callers would
	 * otherwise use another lock. So a key is refused if it
	 * <ul>
	 * <li>is {@code null}, blank, or has no elements,
	 * <li>has the hash code of an object in its text, because that object, such as an
	 * array or a lambda, has no {@code toString()} of its own,
	 * <li>is a {@link java.util.Date} or {@link java.util.Calendar}, whose text depends
	 * on the time zone; or a {@link java.util.TimeZone}, {@link java.net.InetAddress},
	 * {@link java.net.InetSocketAddress}, {@link java.nio.ByteBuffer},
	 * {@link java.security.Principal} or message of Spring, whose text is more than its
	 * value,
	 * <li>is a map or its entry, an iterator, an optional, a future or a publisher,
	 * <li>is a record, or a data class of Kotlin, with a component that is not
	 * {@code null} but would be refused as one key. A component must not be a collection
	 * or an array, except for a list of values that are not refused.
	 * </ul>
	 * An enum constant is named by its {@code name()}, a class by its {@code getName()},
	 * a {@code byte[]} by its hexadecimal digits, and a value class of Kotlin by its
	 * content. Any other value is named by its {@code toString()}, so {@code 1.0} and
	 * {@code 1} are different keys.
	 * <p>
	 * In the key, {@code :} is escaped as {@code %3A} and {@code %} as {@code %25}, so
	 * that two different pairs of name and key never result in the same lock: the last
	 * {@code :} separates the name from the key. Metrics use the name without the key.
	 * <p>
	 * Do not concatenate name and key: if the id contains one of these two characters,
	 * {@code of("payment:" + id)} is not the same lock as that of the annotated method,
	 * and the two do not exclude each other.
	 * @param name the name without the key, which is not escaped
	 * @param key the key, or several keys
	 * @return the target; its {@link #names()} are the complete names of the locks
	 * @throws IllegalArgumentException if the name or the key is invalid
	 */
	public static LockTarget of(String name, Object key) {
		List<String> texts;
		try {
			texts = KeyRules.texts(key);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("key of lock '%s' %s".formatted(name, ex.getMessage()), ex.getCause());
		}
		return (texts.size() == 1) ? keyed(name, texts.get(0))
				: allOf(texts.stream().map((text) -> keyed(name, text)).toList());
	}

	private static LockTarget keyed(String name, String key) {
		String whole = name + ':' + key.replace("%", "%25").replace(":", "%3A");
		requireUsable("lock name", (name == null || name.isBlank()) ? name : whole);
		return new LockTarget(List.of(whole), ALONE, name);
	}

	/**
	 * Return a target of several locks: a caller acquires all of them or none.
	 * <p>
	 * The order of the targets does not matter, and duplicates are ignored. Callers with
	 * overlapping sets do not deadlock. {@code allOf(a)} is {@code a} itself.
	 * <p>
	 * Deadlocks are ruled out only between callers that do not yet hold any of these
	 * locks. If a caller holds {@code b} and then requests {@code a} while another caller
	 * waits for both, the first caller may be refused at the end of its waiting time,
	 * because {@code a} is kept for the other caller, which waits for {@code b}. So
	 * acquire all needed locks at once.
	 * @param targets the locks; a target of several locks adds each of them
	 * @return the target
	 * @throws IllegalArgumentException if there is no target, or if there are several and
	 * one of them is shared
	 */
	public static LockTarget allOf(LockTarget... targets) {
		return allOf(Arrays.asList(targets));
	}

	/**
	 * Return a target of several locks: a caller acquires all of them or none.
	 * @param targets the locks
	 * @return the target
	 * @throws IllegalArgumentException if there is no target, or if there are several and
	 * one of them is shared
	 * @see #allOf(LockTarget...)
	 */
	public static LockTarget allOf(Collection<LockTarget> targets) {
		Assert.notEmpty(targets, "at least one lock must be given");
		Assert.noNullElements(targets, "lock target must not be null");
		List<LockTarget> different = targets.stream().distinct().toList();
		if (different.size() == 1) {
			return different.get(0);
		}
		different.forEach(LockTarget::requireAlone);
		List<String> names = targets.stream().flatMap((target) -> target.names.stream()).distinct().sorted().toList();
		String metricName = different.get(0).metricName;
		boolean same = different.stream().allMatch((target) -> Objects.equals(target.metricName, metricName));
		return new LockTarget(names, ALONE, same ? metricName : null);
	}

	/**
	 * Return the same lock for reading. Any number of readers can share it, and they
	 * exclude exclusive holders such as writers.
	 * <p>
	 * The lock is granted first come, first served: a reader that arrives while a writer
	 * waits gets the lock after the writer, so writers do not starve. Adjacent readers in
	 * the queue get it together. Each reader has its own lease. A reader cannot upgrade
	 * its lock to a lock for writing. A caller that will write after reading acquires the
	 * lock for writing from the start, and may acquire it for reading meanwhile. The lock
	 * then stays exclusive until both are released, in any order.
	 * @return the target for reading
	 * @throws IllegalArgumentException if this target consists of several locks
	 * @see #exclusive()
	 */
	public LockTarget forReading() {
		return asShared(ANY_NUMBER);
	}

	/**
	 * Return a permit for the same lock. If all callers use the same number, at most that
	 * many can hold a permit at the same time.
	 * <p>
	 * {@code of("export", tenant).permits(3)} lets three exports of each tenant run at a
	 * time. Permits are granted first come, first served. Each holder has its own lease;
	 * if a holder dies, its permit becomes free when its lease and the grace period are
	 * over. Callers may use different numbers: a caller is admitted while the lock has
	 * fewer holders than its own number, so a changed number takes effect with the next
	 * acquisition.
	 * @param permits how many callers may hold it at the same time, at least 1
	 * @return the target of one permit
	 * @throws IllegalArgumentException if the number is less than 1, or this target
	 * consists of several locks
	 * @see #maxHolders()
	 */
	public LockTarget permits(int permits) {
		if (permits < 1) {
			throw new IllegalArgumentException(
					"lock '%s' must have at least 1 permit but has %s".formatted(this.text, permits));
		}
		return asShared(permits);
	}

	/**
	 * Return the same lock as an exclusive one, such as a lock for writing if other
	 * callers use it for reading.
	 * @return the exclusive target; this target itself if it is not shared
	 * @hidden
	 */
	public LockTarget exclusive() {
		return isShared() ? new LockTarget(this.names, ALONE, this.metricName) : this;
	}

	/**
	 * Return the name of the lock, for messages. For several locks, return up to eight
	 * names joined with {@code " + "}, and how many more there are.
	 * @return the name, without the store's prefix
	 */
	public String name() {
		return this.text;
	}

	/**
	 * Return the name of each lock.
	 * @return at least one name, sorted and without duplicates
	 */
	public List<String> names() {
		return this.names;
	}

	/**
	 * Return each lock as a separate target.
	 * @return at least one target, in the order of {@link #names()}; this target itself
	 * if it is a single lock
	 * @hidden
	 */
	public List<LockTarget> each() {
		return isSeveral()
				? this.names.stream().map((name) -> new LockTarget(List.of(name), ALONE, this.metricName)).toList()
				: List.of(this);
	}

	/**
	 * Return whether there are several locks.
	 * @return whether there is more than one name
	 * @hidden
	 */
	public boolean isSeveral() {
		return this.names.size() > 1;
	}

	/**
	 * Return whether this is a shared lock.
	 * @return whether this is a lock for reading or a permit
	 * @hidden
	 */
	public boolean isShared() {
		return this.permits != ALONE;
	}

	/**
	 * Return how many callers may hold the lock at the same time.
	 * @return 1 for an exclusive lock, or the number of permits;
	 * {@link Integer#MAX_VALUE} for readers
	 * @hidden
	 */
	public int maxHolders() {
		return Math.max(this.permits, 1);
	}

	/**
	 * Return the name that metrics use for this lock. For a lock with a key, this is the
	 * name without the key: {@code payment} for {@code payment:42}.
	 * @return the declared name of an annotated method, or the name given to
	 * {@link #of(String, Object)}, to {@link #withMetricName} or, instead of a target, to
	 * {@link LockOperations}; {@code null} if there is none, or if several locks have
	 * different ones
	 */
	public @Nullable String metricName() {
		return this.metricName;
	}

	/**
	 * Set the name that metrics use for the lock. It has no other effect: targets that
	 * differ only in this name are equal.
	 * @param metricName one of a small number of names; it must not contain a key
	 * @return the target with that name
	 * @throws IllegalArgumentException if it is not a valid lock name
	 */
	public LockTarget withMetricName(String metricName) {
		if (metricName != null && metricName.equals(this.metricName)) {
			return this;
		}
		requireUsable("metric name", metricName);
		return new LockTarget(this.names, this.permits, metricName);
	}

	/**
	 * Return how callers hold the lock, as in metrics and in the endpoint.
	 * @return {@code exclusive}, {@code read} or {@code permit}
	 * @hidden
	 */
	public String mode() {
		return switch (this.permits) {
			case ALONE -> "exclusive";
			case ANY_NUMBER -> "read";
			default -> "permit";
		};
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof LockTarget target && this.permits == target.permits && this.names.equals(target.names);
	}

	@Override
	public int hashCode() {
		return 31 * this.names.hashCode() + this.permits;
	}

	/**
	 * Return the name and, for a shared lock, how it is shared.
	 */
	@Override
	public String toString() {
		return switch (this.permits) {
			case ALONE -> this.text;
			case ANY_NUMBER -> this.text + " (read)";
			default -> "%s (%s permit%s)".formatted(this.text, this.permits, (this.permits != 1) ? "s" : "");
		};
	}

	private LockTarget asShared(int permits) {
		if (isSeveral()) {
			throw new IllegalArgumentException(
					"'%s' cannot be shared: locks acquired together must be exclusive, so acquire each separately"
						.formatted(this.text));
		}
		return new LockTarget(this.names, permits, this.metricName);
	}

	private static void requireAlone(LockTarget target) {
		if (target.isShared()) {
			throw new IllegalArgumentException(
					("several locks can only be acquired together if each of them is exclusive, but '%s' is shared:"
							+ " acquire it separately")
						.formatted(target));
		}
	}

	private static String text(List<String> names) {
		if (names.size() == 1) {
			return names.get(0);
		}
		int shown = Math.min(names.size(), MOST_SHOWN);
		String text = String.join(" + ", names.subList(0, shown));
		return (shown < names.size()) ? "%s + %s more".formatted(text, names.size() - shown) : text;
	}

}
