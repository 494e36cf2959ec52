package io.github.redislock.benchmarks.runner;

import java.util.List;

import io.github.redislock.benchmarks.contender.Contender;

/**
 * A measurement of several contenders.
 */
interface Case {

	/**
	 * Return the name for the command line and the results: lower case, with hyphens.
	 */
	String name();

	/**
	 * Return the title for reports.
	 */
	String title();

	/**
	 * Return the names of the contenders, limits first.
	 */
	List<String> contenders();

	/**
	 * Return why this cannot be measured here; empty if it can.
	 */
	default String obstacle() {
		return "";
	}

	/**
	 * Return the number of rounds of each contender.
	 */
	default int rounds(Pace pace) {
		return pace.rounds();
	}

	/**
	 * Prepare a contender: processes started, connected and warm.
	 */
	Run prepare(Bench bench, Contender contender) throws Exception;

}
