package io.github.redislock.simulation;

/**
 * A call or a fault in a plan.
 */
interface Step {

	/**
	 * Return the time of this step, in nanoseconds since the world began.
	 */
	long at();

	/**
	 * Return the same step at a later time.
	 */
	Step later(long nanos);

	void happen(World world);

}
