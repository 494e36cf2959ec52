package io.github.redislock.simulation;

/**
 * What a plan schedules at some moment.
 */
interface Step {

	/**
	 * Return when, in nanoseconds since the world began.
	 */
	long at();

	void happen(World world);

}
