package io.github.redislock.testing;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Computes fencing tokens: a token is the store's clock in microseconds, or the last
 * token plus one if that is greater.
 * <p>
 * So tokens keep growing after the store has forgotten the last one, unless its clock was
 * set back.
 */
public final class FencingTokens {

	private FencingTokens() {
	}

	/**
	 * Return the token that follows another.
	 * @param now the store's clock
	 * @param last the last token, or 0 if unknown
	 * @return a token greater than the last
	 */
	public static long next(Instant now, long last) {
		return Math.max(ChronoUnit.MICROS.between(Instant.EPOCH, now), last + 1);
	}

	/**
	 * Return the time that a fencing token contains.
	 * @param token a fencing token
	 * @return the store's clock at the grant, or a later time if the token is ahead of it
	 */
	public static Instant instant(long token) {
		return Instant.EPOCH.plus(token, ChronoUnit.MICROS);
	}

}
