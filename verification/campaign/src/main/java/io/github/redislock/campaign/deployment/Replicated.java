package io.github.redislock.campaign.deployment;

import java.util.List;

import io.github.redislock.testing.RedisProcess;

/**
 * Servers of which some follow others, and may take their place.
 */
public interface Replicated extends Deployment {

	/**
	 * Return the master that has a key.
	 */
	RedisProcess master(String key);

	/**
	 * Return those that follow it.
	 */
	List<RedisProcess> replicas(RedisProcess master);

	/**
	 * Let a replica take the place of a master that is well, as an operator would do, and
	 * wait until it has.
	 */
	void failOver(RedisProcess master);

	/**
	 * Let a replica take the place of a master without asking that, and wait until it
	 * has.
	 */
	void takeOver(RedisProcess master);

	/**
	 * Do something that a master does not survive, and wait until a replica has taken its
	 * place.
	 */
	void replace(RedisProcess master, Runnable end);

}
