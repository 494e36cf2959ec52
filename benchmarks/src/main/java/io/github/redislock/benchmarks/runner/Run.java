package io.github.redislock.benchmarks.runner;

import java.util.Map;

/**
 * A contender that is ready to be measured in a case.
 */
interface Run extends AutoCloseable {

	/**
	 * Measure one round.
	 * @return values by metric
	 */
	Map<String, Double> round() throws Exception;

}
