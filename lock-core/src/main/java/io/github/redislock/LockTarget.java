package io.github.redislock;

import java.nio.charset.StandardCharsets;

/**
 * What is locked: equal targets exclude one another.
 */
public final class LockTarget {

	/**
	 * How many bytes a name may have in UTF-8.
	 */
	public static final int MAX_NAME_BYTES = 1024;

	private final String name;

	private LockTarget(String name) {
		this.name = name;
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
		name.codePoints().filter(LockTarget::isUnusable).findFirst().ifPresent((unusable) -> {
			throw new IllegalArgumentException(
					"lock name must not have %s but has U+%04X".formatted(kind(unusable), unusable));
		});
		int length = name.getBytes(StandardCharsets.UTF_8).length;
		if (length > MAX_NAME_BYTES) {
			throw new IllegalArgumentException("lock name must have at most %d bytes in UTF-8 but has %d: '%s…'"
				.formatted(MAX_NAME_BYTES, length, name.substring(0, name.offsetByCodePoints(0, 40))));
		}
		return new LockTarget(name);
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
	 * Return the lock's name.
	 * @return the name, without the store's prefix
	 */
	public String name() {
		return this.name;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof LockTarget target && this.name.equals(target.name);
	}

	@Override
	public int hashCode() {
		return this.name.hashCode();
	}

	@Override
	public String toString() {
		return this.name;
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
