package io.github.redislock.campaign.deployment;

import java.util.List;

import io.github.redislock.testing.RedisProcess;

/**
 * Servers with replicas that may be promoted.
 */
public interface Replicated extends Deployment {

	RedisProcess master(String key);

	List<RedisProcess> replicas(RedisProcess master);

	/**
	 * Promote a replica of a healthy master, as an operator does, and wait until it is
	 * the master.
	 */
	void failOver(RedisProcess master);

	/**
	 * Promote a replica without the master's consent, and wait until it is the master.
	 */
	void takeOver(RedisProcess master);

	/**
	 * Run an action that stops a master, and wait until a replica is promoted.
	 */
	void replace(RedisProcess master, Runnable end);

}
