package io.github.redislock.internal.support;

import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Creates and reads owner tokens of the form {@code <instance>/<random>}.
 * <p>
 * The random part has 128 bits, because anyone who knows a token can release its lock.
 */
public final class OwnerTokens {

	public static final int MAX_LENGTH = 256;

	/**
	 * How many characters of the random part are shown: enough to distinguish tokens, but
	 * too few to guess the rest.
	 */
	private static final int SHOWN = 6;

	/** The end of a shortened token. */
	private static final String CUT = "…";

	/** The beginning of a shared lock's value, with a space in place of the tab. */
	private static final String RESERVED = "shared ";

	private static final int RANDOM_BYTES = 16;

	/** The length of the random part in Base64. */
	private static final int RANDOM_LENGTH = 22;

	/** How many random values are read from the system at once. */
	private static final int SEEDS = 64;

	/**
	 * How long the seeds are used, in nanoseconds: so briefly that a copy of this process
	 * hardly ever shares them, but long enough that a busy process seldom reads new ones.
	 */
	private static final long LIFE_OF_SEEDS = 10_000_000;

	private static final Seeds NO_SEEDS = new Seeds(ByteBuffer.allocate(0), 0, new AtomicInteger(SEEDS));

	private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

	/**
	 * The algorithms that use the system's random numbers without waiting for entropy.
	 */
	private static final List<String> FROM_THE_SYSTEM = List.of("NativePRNGNonBlocking", "Windows-PRNG");

	private final String name;

	private final SecureRandom random;

	private final LongSupplier nanoTime;

	private volatile String instance;

	private volatile Seeds seeds = NO_SEEDS;

	public OwnerTokens(String instance, SecureRandom random, LongSupplier nanoTime) {
		this.name = instance;
		this.instance = instance;
		this.random = random;
		this.nanoTime = nanoTime;
	}

	/**
	 * Return a random source whose seeds come from the operating system, if that is
	 * possible without waiting for entropy.
	 */
	public static SecureRandom systemRandom() {
		for (String algorithm : FROM_THE_SYSTEM) {
			try {
				return SecureRandom.getInstance(algorithm);
			}
			catch (NoSuchAlgorithmException ex) {
				// Available on other systems only.
			}
		}
		return new SecureRandom();
	}

	/**
	 * Forget what other copies of this process know, and choose an instance name that
	 * none of them has.
	 */
	public void renewInstance() {
		this.seeds = NO_SEEDS;
		this.instance = this.name + '~' + nextRandom().substring(0, SHOWN);
	}

	/**
	 * Fail if a text is not allowed as an owner token or as the beginning of one.
	 * @param what the name of the text in the message
	 * @throws IllegalArgumentException with a message that gives the reason
	 */
	public static void requireUsable(String what, String text, int maxLength) {
		if (text == null || text.isBlank() || text.length() > maxLength) {
			throw new IllegalArgumentException(
					"%s must have 1 to %s characters and not be blank".formatted(what, maxLength));
		}
		// If the store changed the text, two owners could end up with the same token, or
		// an owner would not recognize its own.
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
	 * Return the name under which other processes see this one.
	 */
	public String instance() {
		return this.instance;
	}

	/**
	 * Return the owner token for an acquisition.
	 * @param random a text from {@link #nextRandom()}
	 */
	public String owner(String random) {
		return this.instance + '/' + random;
	}

	/**
	 * Return a random text that cannot be guessed. Thread-safe.
	 * <p>
	 * Each text is a seed of the random source that no other text uses, changed by the
	 * clock. So copies of this process, which may share unused seeds, generate different
	 * texts unless they read the same nanosecond.
	 */
	public String nextRandom() {
		Seeds present = this.seeds;
		int index = present.used.getAndIncrement();
		long now = this.nanoTime.getAsLong();
		// On another machine, the clock may be behind.
		if (index >= SEEDS || Long.compareUnsigned(now - present.readAt, LIFE_OF_SEEDS) >= 0) {
			index = 0;
			ByteBuffer read = ByteBuffer.wrap(this.random.generateSeed(SEEDS * RANDOM_BYTES));
			present = new Seeds(read, now, new AtomicInteger(1));
			this.seeds = present;
		}
		int begin = index * RANDOM_BYTES;
		present.bytes.putLong(begin, present.bytes.getLong(begin) ^ now);
		return ENCODER.encodeToString(Arrays.copyOfRange(present.bytes.array(), begin, begin + RANDOM_BYTES));
	}

	/**
	 * Return the part of a token that is not secret.
	 * @param owner an owner token, perhaps that of another program
	 * @return the instance, or "another client"
	 */
	public static String holder(String owner) {
		int end = owner.lastIndexOf('/');
		return (end > 0) ? owner.substring(0, end) : "another client";
	}

	/**
	 * Return the beginning of a token, which is enough to recognize it. If this library
	 * did not generate the token, at most half of it (or the instance, if that is longer)
	 * is shown, because the rest may be its only secret part.
	 * @param owner an owner token, perhaps that of another program or already shortened
	 * @return the instance, if there is one, and the beginning of the rest
	 */
	public static String shortened(String owner) {
		if (owner.endsWith(CUT)) {
			return owner;
		}
		int begin = owner.lastIndexOf('/') + 1;
		boolean ours = owner.length() - begin == RANDOM_LENGTH;
		int end = ours ? begin + SHOWN : Math.min(begin + SHOWN, Math.max(begin, owner.length() / 2));
		if (end > 0 && Character.isHighSurrogate(owner.charAt(end - 1))) {
			end--;
		}
		return owner.substring(0, end) + CUT;
	}

	/**
	 * Random values from the system. Each is used once.
	 *
	 * @param readAt the time before they were read
	 * @param used how many have been used
	 */
	private record Seeds(ByteBuffer bytes, long readAt, AtomicInteger used) {
	}

}
