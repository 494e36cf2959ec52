package io.github.redislock.samples.cluster.worker;

import java.net.URI;
import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The settings of a worker.
 *
 * @param name the name of the worker
 * @param demo the address of the demonstration
 * @param step how long a step takes
 * @param hangChance the probability that the worker sleeps through a hold without
 * renewing the lock, from 0 to 1
 * @param hangFor how long the worker sleeps in such a hold
 */
@ConfigurationProperties("worker")
record WorkerProperties(String name, URI demo, Duration step, double hangChance, Duration hangFor) {
}
