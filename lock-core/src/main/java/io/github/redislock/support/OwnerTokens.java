package io.github.redislock.support;

import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;

/**
 * Creates and reads owner tokens: {@code <instance>/<random>}.
 * <p>
 * The random part has 128 bits, since knowing a token is enough to release its lock.
 */
public final class OwnerTokens {

	public static final int MAX_LENGTH = 256;

	/** Enough to distinguish tokens, and too little to guess the rest. */
	private static final int SHOWN = 6;

	/** The end of a shortened token. */
	private static final String CUT = "…";

	/** The beginning of the readable value of a shared lock. */
	private static final String RESERVED = "shared ";

	private static final int RANDOM_BYTES = 16;

	/** The length of the random part in Base64. */
	private static final int RANDOM_LENGTH = 22;

	private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

	/** Algorithms that return the system's random numbers without waiting for entropy. */
	private static final List<String> FROM_THE_SYSTEM = List.of("NativePRNGNonBlocking", "Windows-PRNG");

	private final String name;

	private final SecureRandom random;

	private volatile String instance;

	public OwnerTokens(String instance, SecureRandom random) {
		this.name = instance;
		this.instance = instance;
		this.random = random;
	}

	/**
	 * Return a source whose seeds come from the operating system.
	 */
	public static SecureRandom systemRandom() {
		for (String algorithm : FROM_THE_SYSTEM) {
			try {
				return SecureRandom.getInstance(algorithm);
			}
			catch (NoSuchAlgorithmException ex) {
				// On other systems.
			}
		}
		return new SecureRandom();
	}

	/**
	 * Choose a name that no other copy of this process has.
	 */
	public void renewInstance() {
		this.instance = this.name + '~' + nextRandom().substring(0, SHOWN);
	}

	/**
	 * Fail if a text cannot be an owner token, or the beginning of one.
	 * @param what its name in the message
	 * @throws IllegalArgumentException with the reason
	 */
	public static void requireUsable(String what, String text, int maxLength) {
		if (text.isBlank() || text.length() > maxLength) {
			throw new IllegalArgumentException(
					"%s must have 1 to %d characters and not be blank".formatted(what, maxLength));
		}
		// If the store read it differently, two owners could have the same token, or
		// one of them none.
		TextRules.requireUsable(what, text);
		if (text.endsWith(CUT)) {
			throw new IllegalArgumentException(
					"%s must not end with '%s', which marks shortened tokens".formatted(what, CUT));
		}
		if (text.startsWith(RESERVED)) {
			throw new IllegalArgumentException(
					"%s must not begin with '%s', which marks shared locks".formatted(what, RESERVED));
		}
	}

	/**
	 * Return the name of this process that others see.
	 */
	public String instance() {
		return this.instance;
	}

	/**
	 * Return the token of one acquisition.
	 * @param random from {@link #nextRandom()}
	 */
	public String owner(String random) {
		return this.instance + '/' + random;
	}

	/**
	 * Return a random text that cannot be guessed. Thread-safe.
	 * <p>
	 * Each text comes from the operating system: copies of this process would share the
	 * state of a generator in memory.
	 */
	public String nextRandom() {
		return ENCODER.encodeToString(this.random.generateSeed(RANDOM_BYTES));
	}

	/**
	 * Return the part of a token that is not secret.
	 * @param owner an owner token, perhaps of a foreign program
	 * @return the instance, or "another client"
	 */
	public static String holder(String owner) {
		int end = owner.lastIndexOf('/');
		return (end > 0) ? owner.substring(0, end) : "another client";
	}

	/**
	 * Return enough of a token to recognize it. Of a foreign token at most half is shown,
	 * besides its {@link #holder}: the rest may be its only secret part.
	 * @param owner an owner token, perhaps of a foreign program, or shortened already
	 * @return the instance, if there is one, and the beginning of the rest
	 */
	public static String shortened(String owner) {
		if (owner.endsWith(CUT)) {
			return owner;
		}
		int begin = owner.lastIndexOf('/') + 1;
		boolean ours = begin > 1 && owner.length() - begin == RANDOM_LENGTH;
		int end = ours ? begin + SHOWN : Math.min(begin + SHOWN, Math.max(begin, owner.length() / 2));
		if (end > 0 && Character.isHighSurrogate(owner.charAt(end - 1))) {
			end--;
		}
		return owner.substring(0, end) + CUT;
	}

}
