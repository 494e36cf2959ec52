package io.github.redislock.benchmarks.runner;

import java.util.Map;

/**
 * One contender in one case, ready to be measured.
 */
interface Run extends AutoCloseable {

	/**
	 * Measure one round.
	 * @return values by metric
	 */
	Map<String, Double> round() throws Exception;

}
