package io.github.redislock;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Computes fencing tokens: a token is the store's clock in microseconds, or the last
 * token plus one if that is greater.
 * <p>
 * So tokens keep growing after the store has forgotten the last one, unless its clock was
 * set back. No counter has to be kept forever.
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
	 * Return when a token was issued, according to the store's clock.
	 * @param token a fencing token
	 * @return the time of the grant
	 */
	public static Instant instant(long token) {
		return Instant.EPOCH.plus(token, ChronoUnit.MICROS);
	}

}
