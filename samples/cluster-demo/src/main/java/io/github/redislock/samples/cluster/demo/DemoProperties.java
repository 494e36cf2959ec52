package io.github.redislock.samples.cluster.demo;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The settings of the demonstration.
 *
 * @param workers how many processes contend for the lock
 * @param lease how long a holder that does not renew the lock keeps it
 * @param hangChance the probability that a worker sleeps through a hold without renewing
 * the lock, from 0 to 1
 * @param freezeChance the probability that a worker's process is stopped in a hold, from
 * 0 to 1
 * @param killChance the probability that a worker's process is killed in a hold, from 0
 * to 1
 * @param restartAfter how long to wait before restarting a worker whose process has ended
 * @param redisPause how long Redis is paused
 * @param embeddedRedis whether to start an embedded Redis
 * @param broken whether each worker has a separate lock, to show what violations look
 * like
 */
@ConfigurationProperties("cluster-demo")
public record DemoProperties(int workers, Duration lease, double hangChance, double freezeChance, double killChance,
		Duration restartAfter, Duration redisPause, boolean embeddedRedis, boolean broken) {

	/**
	 * Return how long a process hangs. This is longer than the lease, so that another
	 * worker can get the lock.
	 */
	public Duration hang() {
		return this.lease.multipliedBy(5).dividedBy(2);
	}

}
