package io.github.redislock.samples.cluster.demo;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The settings of the demonstration.
 *
 * @param workers how many processes want the lock
 * @param lease how long the lock stays with a silent holder
 * @param hangChance in how many holds a worker sleeps without renewal, from 0 to 1
 * @param freezeChance in how many holds the worker's process is stopped, from 0 to 1
 * @param killChance in how many holds the worker's process is killed, from 0 to 1
 * @param restartAfter how long a killed worker stays away
 * @param redisPause how long Redis is paused
 * @param embeddedRedis whether to start an embedded Redis
 * @param broken whether each worker has a separate lock, which shows how violations look
 */
@ConfigurationProperties("cluster-demo")
public record DemoProperties(int workers, Duration lease, double hangChance, double freezeChance, double killChance,
		Duration restartAfter, Duration redisPause, boolean embeddedRedis, boolean broken) {

	/**
	 * Return how long a process hangs: its lease is over by then, and another worker has
	 * the lock.
	 */
	public Duration hang() {
		return this.lease.multipliedBy(5).dividedBy(2);
	}

}
