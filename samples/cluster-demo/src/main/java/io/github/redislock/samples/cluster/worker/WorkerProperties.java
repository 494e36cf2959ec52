package io.github.redislock.samples.cluster.worker;

import java.net.URI;
import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The settings of a worker.
 *
 * @param name the name of the worker
 * @param demo where the demonstration listens
 * @param step how long one step takes
 * @param hangChance in how many holds it sleeps without renewal, from 0 to 1
 * @param hangFor how long it sleeps in such a hold
 */
@ConfigurationProperties("worker")
record WorkerProperties(String name, URI demo, Duration step, double hangChance, Duration hangFor) {
}
