package io.github.redislock.benchmarks.runner;

import java.util.List;

import io.github.redislock.benchmarks.contender.Contender;

/**
 * A benchmark case, which measures one or more contenders.
 */
interface Case {

	/**
	 * Return the name for the command line and the results: lower case, with hyphens.
	 */
	String name();

	String title();

	/**
	 * Return the names of the contenders, with the limits first.
	 */
	List<String> contenders();

	/**
	 * Return why this case cannot be measured on this machine, or an empty string if it
	 * can.
	 */
	default String obstacle() {
		return "";
	}

	/**
	 * Return how many times new processes of each contender are measured, one after the
	 * other.
	 */
	default int jvms(Pace pace) {
		return 1;
	}

	/**
	 * Return how many times each contender is measured in each process.
	 */
	default int rounds(Pace pace) {
		return pace.rounds();
	}

	/**
	 * Prepare a contender, that is, start, connect and warm up its processes.
	 */
	Run prepare(Bench bench, Contender contender) throws Exception;

}
