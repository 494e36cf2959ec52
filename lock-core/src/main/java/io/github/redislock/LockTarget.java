package io.github.redislock;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * What is locked: one lock, or several at once. Targets that have a lock in common
 * exclude one another. Immutable.
 */
public final class LockTarget {

	/**
	 * How many bytes a name may have in UTF-8.
	 */
	public static final int MAX_NAME_BYTES = 1024;

	/** More would fill a log. */
	private static final int MOST_SHOWN = 8;

	private final List<String> names;

	private final String text;

	private LockTarget(List<String> names) {
		this.names = names;
		this.text = text(names);
	}

	/**
	 * Return the lock of that name, which one holder at a time can have.
	 * @param name up to 1024 bytes in UTF-8, not blank, no control characters or line
	 * separators, no half of a surrogate pair
	 * @return the target
	 * @throws IllegalArgumentException if the name is not of that form
	 */
	public static LockTarget of(String name) {
		if (name.isBlank()) {
			throw new IllegalArgumentException("lock name must not be blank");
		}
		requireUsable(name);
		// No character takes more than three bytes, and most names are short.
		int length = (name.length() <= MAX_NAME_BYTES / 3) ? 0 : name.getBytes(StandardCharsets.UTF_8).length;
		if (length > MAX_NAME_BYTES) {
			throw new IllegalArgumentException("lock name must have at most %d bytes in UTF-8 but has %d: '%s…'"
				.formatted(MAX_NAME_BYTES, length, name.substring(0, name.offsetByCodePoints(0, 40))));
		}
		return new LockTarget(List.of(name));
	}

	/**
	 * Return the lock of one of many things of a kind, as an annotated method with that
	 * name and key has it: {@code of("payment", 4711)} is {@code payment:4711}.
	 * <p>
	 * The key may be anybody's text. In it, {@code :} is written {@code %3A} and
	 * {@code %} is written {@code %25}, so that no two pairs of name and key make the
	 * same lock; the last {@code :} ends the name.
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
		return of(name + ':' + text.replace("%", "%25").replace(":", "%3A"));
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
	 * @throws IllegalArgumentException if there is none
	 */
	public static LockTarget allOf(LockTarget... targets) {
		return allOf(Arrays.asList(targets));
	}

	/**
	 * Return several locks at once: who acquires them has all or none.
	 * @param targets which locks
	 * @return the target
	 * @throws IllegalArgumentException if there is none
	 * @see #allOf(LockTarget...)
	 */
	public static LockTarget allOf(Collection<LockTarget> targets) {
		List<String> names = targets.stream().flatMap((target) -> target.names.stream()).distinct().sorted().toList();
		if (names.isEmpty()) {
			throw new IllegalArgumentException("there must be at least one lock to acquire but there is none");
		}
		return new LockTarget(names);
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
		return isSeveral() ? this.names.stream().map((name) -> new LockTarget(List.of(name))).toList() : List.of(this);
	}

	/**
	 * Return the first lock.
	 */
	LockTarget first() {
		return isSeveral() ? new LockTarget(List.of(this.names.get(0))) : this;
	}

	/**
	 * Return whether there are several locks.
	 * @return whether there is more than one name
	 */
	public boolean isSeveral() {
		return this.names.size() > 1;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof LockTarget target && this.names.equals(target.names);
	}

	@Override
	public int hashCode() {
		return this.names.hashCode();
	}

	@Override
	public String toString() {
		return this.text;
	}

	private static String text(List<String> names) {
		if (names.size() == 1) {
			return names.get(0);
		}
		int shown = Math.min(names.size(), MOST_SHOWN);
		String text = String.join(" + ", names.subList(0, shown));
		return (shown < names.size()) ? "%s + %d more".formatted(text, names.size() - shown) : text;
	}

	private static void requireUsable(String name) {
		int character;
		for (int index = 0; index < name.length(); index += Character.charCount(character)) {
			character = name.codePointAt(index);
			if (isUnusable(character)) {
				throw new IllegalArgumentException(
						"lock name must not have %s but has U+%04X".formatted(kind(character), character));
			}
		}
	}

	private static boolean isUnusable(int character) {
		return Character.isISOControl(character) || isLineSeparator(character) || isHalf(character);
	}

	private static String kind(int unusable) {
		if (isHalf(unusable)) {
			// Written in UTF-8 it would be a question mark, and so another lock's.
			return "half of a surrogate pair";
		}
		return isLineSeparator(unusable) ? "line separators" : "control characters";
	}

	/**
	 * Return whether logs would show the character as the end of a line.
	 */
	private static boolean isLineSeparator(int character) {
		return character == 0x2028 || character == 0x2029;
	}

	/**
	 * Return whether a code point is one of two that only together are a character.
	 */
	private static boolean isHalf(int character) {
		return character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE;
	}

}
