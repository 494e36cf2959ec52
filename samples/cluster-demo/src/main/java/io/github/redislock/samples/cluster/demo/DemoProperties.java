package io.github.redislock.samples.cluster.demo;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * What is shown.
 *
 * @param workers how many processes want the lock
 * @param lease how long the lock stays with a holder that is not heard of any more
 * @param hangChance how many holds a worker sleeps away without renewal, from 0 to 1
 * @param freezeChance during how many holds the worker's process is stopped, from 0 to 1
 * @param killChance during how many holds the worker's process is killed, from 0 to 1
 * @param restartAfter how long a worker stays away that was killed
 * @param redisPause how long Redis is made to wait
 * @param embeddedRedis whether to bring a Redis along
 * @param broken whether each worker has a lock of its own: what is seen if locks do not
 * lock
 */
@ConfigurationProperties("cluster-demo")
public record DemoProperties(int workers, Duration lease, double hangChance, double freezeChance, double killChance,
		Duration restartAfter, Duration redisPause, boolean embeddedRedis, boolean broken) {

	/**
	 * Return how long a process hangs: its lease is over by then, and somebody else has
	 * the lock.
	 */
	public Duration hang() {
		return this.lease.multipliedBy(5).dividedBy(2);
	}

}
