package io.github.redislock;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * Makes and reads owner tokens: {@code <instance>/<random>}.
 * <p>
 * The random part has 128 bits, since whoever knows a token can release its lock.
 */
final class OwnerTokens {

	static final int MAX_LENGTH = 256;

	/** Enough to tell tokens apart, and too little to guess the rest. */
	private static final int SHOWN = 6;

	/** How the value of a lock begins, as people read it, that several share. */
	private static final String RESERVED = "shared ";

	private static final int RANDOM_BYTES = 16;

	/** As many characters as that takes in Base64. */
	private static final int RANDOM_LENGTH = 22;

	private static final int SUPPLY_BYTES = 1_024;

	private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

	private final String instance;

	private final SecureRandom random;

	private final ByteBuffer supply = ByteBuffer.allocate(SUPPLY_BYTES).limit(0);

	OwnerTokens(String instance, SecureRandom random) {
		this.instance = instance;
		this.random = random;
	}

	/**
	 * Fail if a text cannot be an owner token, or the beginning of one.
	 * @param what what it is, for the message
	 * @throws IllegalArgumentException with the reason
	 */
	static void requireUsable(String what, String text, int maxLength) {
		if (text.isBlank() || text.length() > maxLength) {
			throw new IllegalArgumentException(
					"%s must have 1 to %d characters and not be blank".formatted(what, maxLength));
		}
		// Where the store reads it as other text, two owners are one, or one of them
		// none.
		LockTarget.requireUsable(what, text);
		if (text.startsWith(RESERVED)) {
			throw new IllegalArgumentException(
					"%s must not begin with '%s', by which people know locks that several share".formatted(what,
							RESERVED));
		}
	}

	/**
	 * Return the name by which others see this process.
	 */
	String instance() {
		return this.instance;
	}

	/**
	 * Return the token of one acquisition.
	 * @param random from {@link #nextRandom()}
	 */
	String owner(String random) {
		return this.instance + '/' + random;
	}

	/**
	 * Return a random text that nobody can guess. Thread-safe; most calls are served from
	 * a supply, since asking the system for a few bytes costs as much as for many.
	 */
	String nextRandom() {
		byte[] bytes = new byte[RANDOM_BYTES];
		synchronized (this.supply) {
			if (this.supply.remaining() < RANDOM_BYTES) {
				this.random.nextBytes(this.supply.array());
				this.supply.clear();
			}
			this.supply.get(bytes);
		}
		return ENCODER.encodeToString(bytes);
	}

	/**
	 * Return the part of a token that may be shown to anybody.
	 * @param owner an owner token, perhaps of a foreign program
	 * @return the instance, or "another client"
	 */
	static String holder(String owner) {
		int end = owner.lastIndexOf('/');
		return (end > 0) ? owner.substring(0, end) : "another client";
	}

	/**
	 * Return enough of a token to recognize it. Of one that is not made here at most half
	 * is shown: the rest may be all that nobody can guess.
	 * @param owner an owner token, perhaps of a foreign program
	 * @return the instance, if there is one, and the beginning of the rest
	 */
	static String shortened(String owner) {
		int begin = owner.lastIndexOf('/') + 1;
		boolean ours = begin > 1 && owner.length() - begin == RANDOM_LENGTH;
		int end = ours ? begin + SHOWN : Math.min(begin + SHOWN, owner.length() / 2);
		if (end > 0 && Character.isHighSurrogate(owner.charAt(end - 1))) {
			end--;
		}
		return owner.substring(0, end) + '…';
	}

}
