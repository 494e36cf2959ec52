package io.github.redislock.benchmarks.runner;

import java.util.List;

import io.github.redislock.benchmarks.contender.Contender;

/**
 * Something that is measured for several contenders.
 */
interface Case {

	/**
	 * Return the name for the command line and the results: lower case, with hyphens.
	 */
	String name();

	/**
	 * Return what is measured, for people.
	 */
	String title();

	/**
	 * Return who takes part, by name, limits first.
	 */
	List<String> contenders();

	/**
	 * Return why this cannot be measured here, or an empty text.
	 */
	default String obstacle() {
		return "";
	}

	/**
	 * Return how often each contender's turn comes.
	 */
	default int rounds(Pace pace) {
		return pace.rounds();
	}

	/**
	 * Make a contender ready: processes started, connected and warm.
	 */
	Run prepare(Bench bench, Contender contender) throws Exception;

}
