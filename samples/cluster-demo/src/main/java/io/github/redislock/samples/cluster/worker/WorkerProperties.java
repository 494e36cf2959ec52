package io.github.redislock.samples.cluster.worker;

import java.net.URI;
import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The settings of a worker.
 *
 * @param name its name
 * @param demo where the demonstration listens
 * @param step how long one step takes
 * @param hangChance in how many of its holds it sleeps, from 0 to 1
 * @param hangFor how long it then sleeps
 */
@ConfigurationProperties("worker")
record WorkerProperties(String name, URI demo, Duration step, double hangChance, Duration hangFor) {
}
