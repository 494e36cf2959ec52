package io.github.redislock.testing;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.util.LoggingLevel;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tries many of the ways in which two threads can interleave.
 */
public final class Interleavings {

	private Interleavings() {
	}

	/**
	 * Fail if the validation of a test fails.
	 * @param test a class with operations; each thread runs two
	 * @param scenarios how many choices of operations to try
	 * @param invocations how many interleavings of each
	 */
	public static void check(Class<?> test, int scenarios, int invocations) {
		// The first formatted number loads a locale. The checker would mistake its loops
		// for a hang.
		assertThat("%d".formatted(1_000)).isNotEmpty();
		new ModelCheckingOptions().iterations(scenarios)
			.invocationsPerIteration(invocations)
			.threads(2)
			.actorsPerThread(2)
			.actorsBefore(0)
			.actorsAfter(0)
			.minimizeFailedScenario(false)
			.logLevel(LoggingLevel.ERROR)
			.check(test);
	}

}
