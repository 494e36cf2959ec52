package io.github.redislock.testing;

import java.util.Arrays;
import java.util.stream.Stream;

/**
 * How much a test does: little in each build, and everything if tests tagged
 * {@code thorough} run.
 */
public final class Effort {

	private static final boolean BRIEF = System.getProperty("tests.excluded", "thorough").contains("thorough");

	private Effort() {
	}

	/**
	 * Return the amount of work.
	 * @param brief in each build
	 * @param thorough otherwise
	 */
	public static int of(int brief, int thorough) {
		return BRIEF ? brief : thorough;
	}

	/**
	 * Return the cases to try: all of them, or only the first.
	 */
	@SafeVarargs
	@SuppressWarnings("varargs")
	public static <T> Stream<T> cases(T... cases) {
		return Arrays.stream(cases).limit(BRIEF ? 1 : cases.length);
	}

}
