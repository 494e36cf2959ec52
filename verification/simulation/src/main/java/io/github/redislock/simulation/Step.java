package io.github.redislock.simulation;

/**
 * A call or a fault in a plan.
 */
interface Step {

	/**
	 * Return the time of this step, in nanoseconds since the world began.
	 */
	long at();

	void happen(World world);

}
