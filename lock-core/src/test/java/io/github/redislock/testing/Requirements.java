package io.github.redislock.testing;

import org.junit.jupiter.api.Assumptions;

/**
 * What a test needs from its machine. Without it, the test is skipped with a printed
 * reason, or fails if {@code LOCK_TESTS_REQUIRE=all} is set, as in CI.
 */
public final class Requirements {

	static final boolean ALL = "all".equals(System.getenv("LOCK_TESTS_REQUIRE"));

	private Requirements() {
	}

	/**
	 * Continue only if a requirement is met.
	 */
	public static void need(boolean met, String test, String reason) {
		if (met) {
			return;
		}
		if (ALL) {
			throw new AssertionError(reason);
		}
		say(test, reason);
		Assumptions.abort(reason);
	}

	static void say(String test, String reason) {
		System.out.println("[skipped] " + test + ": " + reason);
	}

}
