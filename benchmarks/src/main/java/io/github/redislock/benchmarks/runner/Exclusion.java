package io.github.redislock.benchmarks.runner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.worker.Guard;

/**
 * Checks that a lock is mutually exclusive.
 */
final class Exclusion {

	private Exclusion() {
	}

	static long entries(Path guard) {
		try {
			return Guard.map(guard, Long.MAX_VALUE).entries();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Throw an exception if two threads were in the critical section at once.
	 */
	static void check(Contender contender, long violations, long acquisitions, long entries) {
		if (violations != 0 || acquisitions != entries) {
			throw new ViolatedException("Mutual exclusion violated by '%s': found another holder inside %d times,"
				.formatted(contender.name(), violations)
					+ " counted %d entries for %d acquisitions".formatted(entries, acquisitions));
		}
	}

	/**
	 * Thrown if two threads were in the critical section at once, because that makes all
	 * numbers of the run meaningless.
	 */
	static final class ViolatedException extends IllegalStateException {

		ViolatedException(String message) {
			super(message);
		}

	}

}
