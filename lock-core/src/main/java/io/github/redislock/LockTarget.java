package io.github.redislock;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

import io.github.redislock.support.TextRules;
import org.jspecify.annotations.Nullable;

/**
 * What is locked: one lock, or several at once. Immutable.
 * <p>
 * A lock is taken by one holder alone, or shared: by any number of readers, or by as many
 * holders as there are permits. Whoever takes it alone excludes all others of the same
 * name, in whatever way they take it.
 */
public final class LockTarget implements Serializable {

	private static final long serialVersionUID = 1L;

	/**
	 * How many bytes a name may have in UTF-8.
	 */
	public static final int MAX_NAME_BYTES = 1024;

	/** More would fill a log. */
	private static final int MOST_SHOWN = 8;

	/** Of a lock that is taken alone. */
	private static final int ALONE = 0;

	private static final int ANY_NUMBER = Integer.MAX_VALUE;

	private final List<String> names;

	/** How many may share the lock, or 0 to have it alone. */
	private final int places;

	private final String text;

	/** Says nothing about what is locked, so targets that differ in it are equal. */
	private final @Nullable String metricName;

	private LockTarget(List<String> names, int places, @Nullable String metricName) {
		this.names = names;
		this.places = places;
		this.text = text(names);
		this.metricName = metricName;
	}

	/**
	 * Return the lock of that name, which one holder at a time can have.
	 * @param name up to 1024 bytes in UTF-8, not blank, no control characters or line
	 * separators, no half of a surrogate pair
	 * @return the target
	 * @throws IllegalArgumentException if the name is not of that form
	 */
	public static LockTarget of(String name) {
		return of(name, (String) null);
	}

	private static LockTarget of(String name, @Nullable String metricName) {
		requireUsable(name);
		return new LockTarget(List.of(name), ALONE, metricName);
	}

	private static void requireUsable(String name) {
		if (name.isBlank()) {
			throw new IllegalArgumentException("lock name must not be blank");
		}
		TextRules.requireUsable("lock name", name);
		// No character takes more than three bytes, and most names are short.
		int length = (name.length() <= MAX_NAME_BYTES / 3) ? 0 : name.getBytes(StandardCharsets.UTF_8).length;
		if (length > MAX_NAME_BYTES) {
			throw new IllegalArgumentException("lock name must have at most %d bytes in UTF-8 but has %d: '%s…'"
				.formatted(MAX_NAME_BYTES, length, name.substring(0, name.offsetByCodePoints(0, 40))));
		}
	}

	/**
	 * Return the lock of one of many things of a kind, as an annotated method with that
	 * name and key has it: {@code of("payment", 4711)} is {@code payment:4711}.
	 * <p>
	 * The key may be anybody's text. In it, {@code :} is written {@code %3A} and
	 * {@code %} is written {@code %25}, so that no two pairs of name and key make the
	 * same lock; the last {@code :} ends the name. Metrics count it by the name.
	 * <p>
	 * Do not put name and key together as text: {@code of("payment:" + id)} is another
	 * lock than that of the annotated method as soon as an id has one of the two
	 * characters, and the two do not exclude one another.
	 * @param name the kind, used as it is
	 * @param key which one; its text counts and must not be blank
	 * @return the target, whose {@link #name()} is what templates take
	 * @throws IllegalArgumentException if no lock name can be made of it
	 */
	public static LockTarget of(String name, Object key) {
		String text = key.toString();
		if (text == null || text.isBlank()) {
			throw new IllegalArgumentException("key of lock '%s' must not be blank".formatted(name));
		}
		if (name.isBlank()) {
			throw new IllegalArgumentException("lock name must not be blank");
		}
		return of(name + ':' + text.replace("%", "%25").replace(":", "%3A"), name);
	}

	/**
	 * Return several locks at once: who acquires them has all or none.
	 * <p>
	 * The order does not matter, nor does naming one twice: callers with overlapping sets
	 * do not dead-lock, and {@code allOf(a)} is {@code a} itself.
	 * <p>
	 * That is so for who holds none of them yet. Who holds {@code b} and then asks for
	 * {@code a}, while somebody waits for both, is refused after its whole waiting time:
	 * {@code a} is kept for who waits longer, and who waits for {@code b}. So all that
	 * need both should acquire them at once.
	 * @param targets which locks; those of a target that is several already count each
	 * @return the target
	 * @throws IllegalArgumentException if there is none, or one of several is shared
	 */
	public static LockTarget allOf(LockTarget... targets) {
		return allOf(Arrays.asList(targets));
	}

	/**
	 * Return several locks at once: who acquires them has all or none.
	 * @param targets which locks
	 * @return the target
	 * @throws IllegalArgumentException if there is none, or one of several is shared
	 * @see #allOf(LockTarget...)
	 */
	public static LockTarget allOf(Collection<LockTarget> targets) {
		List<LockTarget> different = targets.stream().distinct().toList();
		if (different.size() == 1) {
			return different.get(0);
		}
		different.forEach(LockTarget::requireAlone);
		List<String> names = targets.stream().flatMap((target) -> target.names.stream()).distinct().sorted().toList();
		if (names.isEmpty()) {
			throw new IllegalArgumentException("there must be at least one lock to acquire but there is none");
		}
		String metricName = different.get(0).metricName;
		boolean same = different.stream().allMatch((target) -> Objects.equals(target.metricName, metricName));
		return new LockTarget(names, ALONE, same ? metricName : null);
	}

	/**
	 * Return the same lock to read under: any number of readers share it, while no caller
	 * has it alone, as for writing.
	 * <p>
	 * First come, first served: a reader that comes while a writer waits gets the lock
	 * after that one, so writers are not starved; readers that wait side by side get it
	 * together. Each reader has a lease of its own. A reader cannot get the lock for
	 * writing as well: to read first and write then, acquire it for writing and
	 * {@linkplain LockHandle#downgrade() downgrade} it.
	 * @return the target to read under
	 * @throws IllegalArgumentException if this is several locks
	 * @see #alone()
	 */
	public LockTarget forReading() {
		return asShared(ANY_NUMBER);
	}

	/**
	 * Return one of a number of permits of the same lock: so many holders may have it at
	 * a time. {@code of("export", tenant).permits(3)} lets three exports of each tenant
	 * run.
	 * <p>
	 * First come, first served. Each holder has a lease of its own; the permit of one
	 * that died comes back when that is over. The number is the caller's, and need not be
	 * the same everywhere: a caller is let in while fewer than its own number are in. So
	 * another number takes effect with the next acquisition.
	 * @param permits how many may have it at the same time, at least 1
	 * @return the target of one permit
	 * @throws IllegalArgumentException if there is no permit, or this is several locks
	 * @see #maxHolders()
	 */
	public LockTarget permits(int permits) {
		if (permits < 1) {
			throw new IllegalArgumentException(
					"lock '%s' must have at least 1 permit but has %d".formatted(this.text, permits));
		}
		return asShared(permits);
	}

	/**
	 * Return the same lock for one holder alone: for a writer, if others read under it.
	 * @return this target if it is not shared
	 */
	public LockTarget alone() {
		return isShared() ? new LockTarget(this.names, ALONE, this.metricName) : this;
	}

	/**
	 * Return the name of the lock, for people to read; of several, their names with
	 * {@code " + "} in between, and how many more than eight there are.
	 * @return the name, without the store's prefix
	 */
	public String name() {
		return this.text;
	}

	/**
	 * Return the name of each lock.
	 * @return at least one, sorted, none twice
	 */
	public List<String> names() {
		return this.names;
	}

	/**
	 * Return each lock as a target of its own.
	 * @return at least one, in the order of {@link #names()}; this target if it is one
	 * lock
	 */
	public List<LockTarget> each() {
		return isSeveral()
				? this.names.stream().map((name) -> new LockTarget(List.of(name), ALONE, this.metricName)).toList()
				: List.of(this);
	}

	/**
	 * Return whether there are several locks.
	 * @return whether there is more than one name
	 */
	public boolean isSeveral() {
		return this.names.size() > 1;
	}

	/**
	 * Return whether others may hold the lock at the same time.
	 * @return whether this is one to read under, or one of some permits
	 */
	public boolean isShared() {
		return this.places != ALONE;
	}

	/**
	 * Return how many may hold the lock at the same time.
	 * @return 1 for who takes it alone, or the number of permits;
	 * {@link Integer#MAX_VALUE} for readers
	 */
	public int maxHolders() {
		return Math.max(this.places, 1);
	}

	/**
	 * Return the name by which metrics count the lock, together with all others that have
	 * it: that of a lock of many keys without the key.
	 * @return the kind of {@link #of(String, Object)}, what was set by
	 * {@link #withMetricName}, or {@code null} if nobody has said that the name is one of
	 * a few
	 */
	public @Nullable String metricName() {
		return this.metricName;
	}

	/**
	 * Set the name by which metrics count the lock. It changes nothing else; targets that
	 * differ in it only are equal.
	 * @param metricName one of a few: never with a key in it
	 * @return the target with that name
	 * @throws IllegalArgumentException if it is blank, has control characters, or is too
	 * long for the name of a lock
	 */
	public LockTarget withMetricName(String metricName) {
		if (metricName.equals(this.metricName)) {
			return this;
		}
		requireUsable(metricName);
		return new LockTarget(this.names, this.places, metricName);
	}

	/**
	 * Return whether any number of readers may share the lock: what a writer becomes who
	 * lets others read.
	 * @return whether it is to read under
	 */
	public boolean isRead() {
		return this.places == ANY_NUMBER;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof LockTarget target && this.places == target.places && this.names.equals(target.names);
	}

	@Override
	public int hashCode() {
		return 31 * this.names.hashCode() + this.places;
	}

	/**
	 * Return the name, and in which way the lock is shared.
	 */
	@Override
	public String toString() {
		if (!isShared()) {
			return this.text;
		}
		if (isRead()) {
			return this.text + " (read)";
		}
		return "%s (%d permit%s)".formatted(this.text, this.places, (this.places != 1) ? "s" : "");
	}

	private LockTarget asShared(int holders) {
		if (isSeveral()) {
			throw new IllegalArgumentException(
					"several locks at once cannot be shared but '%s' was to be: acquire each by itself"
						.formatted(this.text));
		}
		return new LockTarget(this.names, holders, this.metricName);
	}

	private static void requireAlone(LockTarget target) {
		if (target.isShared()) {
			throw new IllegalArgumentException(
					("several locks can only be acquired at once by who has each of them alone, but '%s' is shared:"
							+ " acquire it by itself")
						.formatted(target));
		}
	}

	private static String text(List<String> names) {
		if (names.size() == 1) {
			return names.get(0);
		}
		int shown = Math.min(names.size(), MOST_SHOWN);
		String text = String.join(" + ", names.subList(0, shown));
		return (shown < names.size()) ? "%s + %d more".formatted(text, names.size() - shown) : text;
	}

}
