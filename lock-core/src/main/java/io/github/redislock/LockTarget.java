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
	 * @param name up to 1024 bytes in UTF-8, not blank, no control characters
	 * @return the target
	 * @throws IllegalArgumentException if the name is not of that form
	 */
	public static LockTarget of(String name) {
		if (name.isBlank()) {
			throw new IllegalArgumentException("lock name must not be blank");
		}
		name.chars().filter(Character::isISOControl).findFirst().ifPresent((control) -> {
			throw new IllegalArgumentException(
					"lock name must not have control characters but has U+%04X".formatted(control));
		});
		int length = name.getBytes(StandardCharsets.UTF_8).length;
		if (length > MAX_NAME_BYTES) {
			throw new IllegalArgumentException("lock name must have at most %d bytes in UTF-8 but has %d: '%s…'"
				.formatted(MAX_NAME_BYTES, length, name.substring(0, 40)));
		}
		return new LockTarget(name);
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

}
